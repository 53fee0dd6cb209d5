// All texts in English, collected for what must look at every one of them; a second language has the same names.
// Screens import their own file, so that its words load with it.
export * as account from './account';
export * as audits from './audits';
export * as charts from './charts';
export * as common from './common';
export * as refusals from './refusals';
export * as session from './session';
export * as shell from './shell';
export * as tables from './tables';
