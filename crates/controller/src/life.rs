//! What an autoscaler has lived through since this replica manages it.

use plimsoll_engine::{At, Memory, Trail};

use crate::checkpoint::Kept;
use crate::kinds::{Status, Subject};

/// Everything that is kept for one autoscaler between its syncs.
#[derive(Debug, Default)]
pub(crate) struct Life {
    /// The autoscaler's UID: another object of the same name starts anew.
    pub uid: String,
    /// The UID of the target whose history is remembered; `None` until it was restored.
    pub target_uid: Option<String>,
    /// What is remembered.
    pub memory: Memory,
    /// What each stage did last; kept for its room.
    pub trail: Trail,
    /// What is stored.
    pub kept: Kept,
    /// The status we wrote last, and the version that write made.
    pub told: Option<(String, Status)>,
    /// The version of the target that our last write of its scale made.
    pub scaled: Option<String>,
    /// When it was synced last.
    pub synced: Option<At>,
    /// How the last sync failed: told in the log only when it changes.
    pub error: Option<String>,
    /// Why the checkpoint could not be written: told only when it changes.
    pub unstored: Option<String>,
}

impl Life {
    /// Begins anew if this is another object.
    pub(crate) fn follow(&mut self, subject: &Subject) {
        if self.uid != subject.uid {
            *self = Life { uid: subject.uid.clone(), ..Life::default() };
        }
    }

    /// The status to go on from: the one we wrote last while the watch has not brought it yet, else the watch's.
    #[must_use]
    pub(crate) fn status(&self, subject: &Subject) -> (String, Status) {
        match &self.told {
            Some((version, status)) if newer(version, &subject.resource_version) => {
                (version.clone(), status.clone())
            }
            _ => (subject.resource_version.clone(), subject.status()),
        }
    }
}

/// Whether one version of an object is newer than another: they grow.
pub(crate) fn newer(version: &str, than: &str) -> bool {
    match (version.parse::<u64>(), than.parse::<u64>()) {
        (Ok(version), Ok(than)) => version > than,
        _ => false,
    }
}
