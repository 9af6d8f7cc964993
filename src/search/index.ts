// Which lines below a folder match a pattern? With ripgrep where it is installed, else by our own walk.

export { listFiles } from "./list-files.js";
export { search } from "./search.js";
