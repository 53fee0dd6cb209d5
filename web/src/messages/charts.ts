// Words of charts.

export const showAsTable = () => 'Show as table';
export const showAsChart = () => 'Show as chart';
export const switchTable = () => 'Chart as table, and back';
export const readValues = (title: string) => `Values of ${title}`;
export const all = () => 'All';
export const otherSeries = () => 'Other';
export const today = () => 'Today';
export const day = () => 'Day (UTC)';
export const noValue = () => 'no data';
export const value = (name: string, text: string) => `${name} ${text}`;
export const interval = (low: string, high: string) => `95%: ${low} to ${high}`;
export const intervalNote = () => 'Lines show the 95% interval.';
export const onlyHint = () => 'Alt-click shows only this series';
export const samples = (count: string) => `${count} answers`;
export const utcDays = () => 'Days are UTC days.';
export const empty = () => 'No data in this period.';
