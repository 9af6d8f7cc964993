import { type Door, rangesJson } from "../core/index.js";

/** How a refusal names the next call to a model that has these tools. */
export const toolDoor: Door = {
  read: (path, ranges) =>
    `call read_file on ${path}${ranges && ranges.length > 0 ? ` with ranges ${rangesJson(ranges)}` : ""}`,
  retry: (path, handle) =>
    path === null
      ? `multi_edit ${JSON.stringify({ retry: handle })}`
      : `edit_file ${JSON.stringify({ path, retry: handle })}`,
  batch: (request) => `multi_edit ${request}`,
};
