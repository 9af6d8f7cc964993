/** The files that the scenarios work on. */
export const prices = `export const currency = "EUR";

export function net(price: number): number {
  return Math.round(price * 100) / 100;
}

export function gross(price: number): number {
  const rate = 0.19;
  const sum = price * (1 + rate);
  const cents = Math.round(sum * 100);
  return cents / 100;
}

export function discount(price: number, percent: number): number {
  const part = (price * percent) / 100;
  return price - part;
}

export function shipping(weight: number): number {
  const base = 4.9;
  const extra = weight > 5 ? 2.5 : 0;
  return base + extra;
}

export function label(price: number): string {
  return price.toFixed(2) + " " + currency;
}
`;

/** The function that most scenarios edit, as it stands in `prices`. */
export const gross = prices.slice(
  prices.indexOf("export function gross"),
  prices.indexOf("export function discount") - 1,
);

export const small = `export const limit = 10;

export function within(count: number): boolean {
  return count <= limit;
}
`;

/** Indented with tabs; clients show them to people with blanks. */
export const tabbed: Readonly<Record<string, string>> = {
  "main.go":
    'package main\n\nimport "fmt"\n\nfunc main() {\n\trate := 19\n\tif rate > 0 {\n\t\tfmt.Println(rate)\n\t}\n}\n',
  Makefile: "all: app\n\napp: main.o\n\t@echo rate 19\n\t$(CC) -o app main.o\n\nclean:\n\trm -f app\n",
};
