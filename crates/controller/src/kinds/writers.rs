//! Who wrote an object's status, as the object itself records it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use plimsoll_engine::At;

use crate::FIELD_MANAGER;

/// Who wrote a status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Writers {
    /// When we wrote it last.
    pub ours: Option<At>,
    /// Who else wrote it last.
    pub foreign: Option<Foreign>,
}

/// A write of the status by someone else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Who.
    pub manager: String,
    /// When.
    pub at: At,
}

/// Who wrote the status, as the object itself records it.
pub(super) fn writers(fields: Option<Vec<ManagedFieldsEntry>>) -> Writers {
    let mut writers = Writers::default();
    for entry in fields.into_iter().flatten().filter(|entry| entry.subresource.as_deref() == Some("status")) {
        let (Some(manager), Some(time)) = (entry.manager, entry.time) else { continue };
        let at = plimsoll_api::condition::from_time(&time);
        if manager == FIELD_MANAGER {
            writers.ours = writers.ours.max(Some(at));
        } else if writers.foreign.as_ref().is_none_or(|foreign| foreign.at < at) {
            writers.foreign = Some(Foreign { manager, at });
        }
    }
    writers
}
