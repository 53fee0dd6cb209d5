// Reading of CSV that somebody pastes: RFC 4180 with the separators that spreadsheets use. Pure.

const SEPARATORS = ['\t', ';', ','] as const;

/**
 * Parses rows of cells. The separator is the one that the first line has most often; lines without a character are left out.
 * A quote that never ends takes the rest as its cell.
 */
export function parseCsv(text: string): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let [row, cell, isQuoted, index] = [[] as string[], '', false, text.startsWith('\ufeff') ? 1 : 0];
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || cell.trim() !== '') rows.push(row.map((value) => value.trim()));
    [row, cell] = [[], ''];
  };
  for (; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') [cell, index] = [`${cell}"`, index + 1];
      else isQuoted = false;
    } else if (character === '"' && cell.trim() === '') {
      [cell, isQuoted] = ['', true];
    } else if (character === separator) {
      row.push(cell);
      cell = '';
    } else if (character === '\n' || character === '\r') {
      endRow();
    } else {
      cell += character;
    }
  }
  endRow();
  return rows;
}

function separatorOf(text: string): string {
  const first = text.split(/[\r\n]/).find((line) => line.trim() !== '') ?? '';
  const times = (separator: string) => first.split(separator).length - 1;
  return SEPARATORS.reduce((best, other) => (times(other) > times(best) ? other : best));
}
