/** Milliseconds that this process worked meanwhile: other programs on a busy machine do not count. */
export async function effortOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
