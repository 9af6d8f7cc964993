import { type Door, rangesJson, requestJson, retryJson } from "../answers/index.js";

/** How a refusal names the next call to a model that has these tools. */
export const toolDoor: Door = {
  lists: true,
  read: (path, ranges) =>
    `call read_file on ${path}${ranges && ranges.length > 0 ? ` with ranges ${rangesJson(ranges)}` : ""}`,
  retry: (path, handle, dryRun) =>
    `${path === null ? "multi_edit" : "edit_file"} ${retryJson(path, handle, dryRun && "dry_run")}`,
  batch: (request, dryRun) => `multi_edit ${requestJson(request, dryRun && "dry_run")}`,
};
