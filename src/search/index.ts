// Where does a pattern stand below a folder? ripgrep where it is, ourselves where it is not.

export { search } from "./search.js";
