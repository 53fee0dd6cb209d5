// Words of the place of new prompts, which the settings of the brand have.

export const placeHint = () =>
  'Where, and as whom, assistants are asked by new prompts. Answers differ by place. Leave all empty for no place.';
export const placeFields = {
  country: () => 'Country',
  region: () => 'Region',
  city: () => 'City',
  language: () => 'Language',
  persona: () => 'Persona',
};
export const placeHints: Record<string, () => string> = {
  country: () => 'Two letters, such as DE.',
  language: () => 'A code such as de or en-GB.',
  persona: () => 'A sentence about the person who asks. It changes what is measured.',
};
export const countryWrong = () => 'Use the two letters of a country, such as DE.';
export const languageWrong = () => 'Use a language code, such as de or en-GB.';
