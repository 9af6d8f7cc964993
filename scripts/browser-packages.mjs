// Fetched when a browser is first asked for: its driver, Chromium itself (Linux on x64), and the check of accessibility.
export const browserPackages = ["playwright-core@1.65.1", "@sparticuz/chromium@147.0.0", "axe-core@4.14.0"];
