// All texts in English, collected for what must look at every one of them; a second language has the same names.
// Screens import their own file, so that its words load with it.
export * as account from './account';
export * as answers from './answers';
export * as auditing from './auditing';
export * as audits from './audits';
export * as bots from './bots';
export * as charts from './charts';
export * as common from './common';
export * as crawlers from './crawlers';
export * as domains from './domains';
export * as mentions from './mentions';
export * as overview from './overview';
export * as places from './places';
export * as platforms from './platforms';
export * as policy from './policy';
export * as prompts from './prompts';
export * as providers from './providers';
export * as refusals from './refusals';
export * as rendering from './rendering';
export * as reports from './reports';
export * as session from './session';
export * as settings from './settings';
export * as setup from './setup';
export * as shell from './shell';
export * as sources from './sources';
export * as tables from './tables';
export * as verification from './verification';
