/** The suites that hold for each client. A file a client shares them out among the workers. */
import { describe } from "vitest";
import { twelveWays } from "../tree/twelve-ways.js";
import { contract } from "./contract/contract.js";
import { ordinaryCourse } from "./course/course.js";
import { drivers } from "./drivers/index.js";
import { readers } from "./readers/readers.js";

export function guards(client: string): void {
  const driver = drivers.find((one) => one.client === client);
  if (!driver) throw new RangeError(`no driver plays ${client}`);
  describe("contract", () => contract(driver));
  describe("course", () => ordinaryCourse(driver));
  describe("readers", () => readers(driver));
  describe("twelve ways to lose work", () => twelveWays(driver));
}
