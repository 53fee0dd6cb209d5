// Figures of a measurement, kept for whoever ordered them: one JSON object in the file that FIGURES names.
import fs from 'node:fs';

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Adds a figure. */
export function keep(name: string, value: number): void {
  console.log(`${name}: ${Math.round(value * 1000) / 1000}`);
  const file = process.env.FIGURES;
  if (file === undefined) return;
  const found = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, number>) : {};
  fs.writeFileSync(file, JSON.stringify({ ...found, [name]: value }));
}

/** How often everything is measured. */
export const REPETITIONS = Number(process.env.REPETITIONS ?? 6);
