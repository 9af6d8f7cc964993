/** The part of JSON Schema that published formats need: enough to hold a file to one. */
export interface Schema {
  readonly type?: "object" | "array" | "string" | "number" | "boolean";
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Other members than those of `properties` are faults. */
  readonly closed?: boolean;
  readonly items?: Schema;
  readonly pattern?: RegExp;
  readonly longest?: number;
  readonly oneOf?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

/** Returns what is wrong with a value, each fault with its place. */
export function schemaFaults(value: unknown, schema: Schema, place = "$"): string[] {
  const faults: string[] = [];
  const fault = (isWrong: boolean, what: string): void => void (isWrong && faults.push(`${place}: ${what}`));
  const { type, pattern, longest, oneOf, anyOf } = schema;
  if (type !== undefined && typeOf(value) !== type) return [`${place}: ${typeOf(value)}, not ${type}`];
  if (typeof value === "string") {
    fault(pattern !== undefined && !pattern.test(value), `${value} does not match ${pattern}`);
    fault(longest !== undefined && value.length > longest, `${value.length} characters, at most ${longest}`);
  }
  fault(oneOf !== undefined && !oneOf.includes(value), `${value} is none of ${oneOf?.join(", ")}`);
  fault(anyOf?.every((one) => schemaFaults(value, one).length > 0) === true, "fits none of the forms");
  if (Array.isArray(value) && schema.items)
    for (const [at, item] of value.entries())
      faults.push(...schemaFaults(item, schema.items, `${place}[${at}]`));
  if (typeOf(value) !== "object" || value === null) return faults;
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of schema.required ?? []) fault(members[name] === undefined, `${name} is missing`);
  for (const [name, member] of Object.entries(members)) {
    const known = schema.properties?.[name];
    fault(known === undefined && schema.closed === true, `${name} is not known`);
    if (known) faults.push(...schemaFaults(member, known, `${place}.${name}`));
  }
  return faults;
}
