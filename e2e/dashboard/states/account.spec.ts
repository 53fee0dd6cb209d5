// States of the account as a whole.
import { expect, test } from '../fixtures.ts';
import { setActive } from '../world/accounts.ts';

test('an inactive account is told so on every screen, and reads on', async ({ app, account }) => {
  await setActive(account, false);

  await app.goto('/account/usage');
  const bar = app.getByRole('alert').filter({ hasText: 'Account inactive.' });
  await expect(bar).toBeVisible();
  await expect(app.getByRole('table', { name: 'Usage' })).toBeVisible();
  await app.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Profile' }).click();
  await expect(bar).toBeVisible();
  await setActive(account, true);
  await app.reload();

  await expect(app.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test('where no mail server is set the profile says that no weekly mail can be sent', async ({ app }) => {
  await app.goto('/account/profile');

  const panel = app.getByRole('region', { name: 'Weekly mail' });
  await expect(panel).toContainText('No mail server is set on this installation');
  await expect(panel.getByRole('switch')).toHaveCount(0);
});

test('the weekly mail is off until it is switched on, and a failure leaves it as it was', async ({ app }) => {
  const asked: unknown[] = [];
  await app.route('**/api/session', async (route) => {
    const request = route.request();
    if (request.method() === 'PATCH') {
      asked.push(request.postDataJSON());
      return route.fulfill(
        asked.length === 1 ? { status: 503, json: { error: 'service_unavailable' } } : { status: 204 },
      );
    }
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), weeklyMail: false } });
  });
  await app.goto('/account/profile');
  const mail = app.getByRole('switch', { name: /every Monday/ });
  await expect(mail).not.toBeChecked();

  await mail.click();
  await expect(app.getByText('The server answered 503.')).toBeVisible();
  await expect(mail).not.toBeChecked();
  await mail.click();

  await expect(mail).toBeChecked();
  expect(asked).toEqual([{ weeklyMail: true }, { weeklyMail: true }]);
});
