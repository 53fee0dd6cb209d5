//! How many certificates one account orders at a time in this process: names that hang must not hold up other accounts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::model::AT_ONCE_PER_ACCOUNT;
use accounts::AccountId;

/// See the module. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct OrderLimit(Arc<Mutex<HashMap<AccountId, usize>>>);

/// One order's place; free again when this is dropped.
#[derive(Debug)]
pub struct OrderPlace {
    limit: OrderLimit,
    account: AccountId,
}

impl OrderLimit {
    /// Takes a place, unless the account has taken all of its own.
    pub fn take(&self, account: &AccountId) -> Option<OrderPlace> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(account.clone()).or_default();
        if *count >= AT_ONCE_PER_ACCOUNT {
            return None;
        }
        *count += 1;
        Some(OrderPlace { limit: self.clone(), account: account.clone() })
    }
}

impl Drop for OrderPlace {
    fn drop(&mut self) {
        let mut taken = self.limit.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_leaves_the_places_of_others_and_gets_its_own_back() {
        let (limit, one, two) = (OrderLimit::default(), AccountId::from("one"), AccountId::from("two"));
        let mut held: Vec<OrderPlace> = std::iter::from_fn(|| limit.take(&one)).collect();

        assert_eq!(held.len(), AT_ONCE_PER_ACCOUNT);
        assert!(limit.take(&two).is_some());
        held.pop();

        assert!(limit.take(&one).is_some());
        held.clear();
        assert!(limit.0.lock().unwrap().is_empty());
    }
}
