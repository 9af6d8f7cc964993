/**
 * The pairs of two sequences, in the order of both, that are worth most together: a longest common subsequence where all
 * pairs are worth the same. Where nothing can be a pair, `worth` is negative infinity.
 */
export function bestPairs(
  rows: number,
  columns: number,
  worth: (row: number, column: number) => number,
): [number, number][] {
  const width = columns + 1;
  const best = new Int32Array((rows + 1) * width);
  const cell = (row: number, column: number): number => best[row * width + column] as number;
  const paired = (row: number, column: number): number => cell(row + 1, column + 1) + worth(row, column);
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      best[row * width + column] = Math.max(
        cell(row + 1, column),
        cell(row, column + 1),
        paired(row, column),
      );
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    const value = cell(row, column);
    if (value === paired(row, column)) pairs.push([row++, column++]);
    else if (value === cell(row, column + 1)) column++;
    else row++;
  }
  return pairs;
}
