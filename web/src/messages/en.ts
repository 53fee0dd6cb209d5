// All texts in English, collected for what must look at every one of them; a second language has the same names.
// Screens import their own file, so that its words load with it.
export * as account from './account';
export * as auditing from './auditing';
export * as audited from './audited';
export * as audits from './audits';
export * as answers from './answers';
export * as charts from './charts';
export * as common from './common';
export * as mentions from './mentions';
export * as crawlers from './crawlers';
export * as providers from './providers';
export * as refusals from './refusals';
export * as rendering from './rendering';
export * as prompts from './prompts';
export * as refusals from './refusals';
export * as reports from './reports';
export * as session from './session';
export * as settings from './settings';
export * as shell from './shell';
export * as sources from './sources';
export * as tables from './tables';
