package store

import "time"

// A Status is the status of the last run of a thread. The zero value means that
// the thread has no run.
type Status string

// StatusAttached is the status of a thread that is no conversation but has data of
// one, such as the events of its last turn. It is deleted and forgotten like a
// conversation whose last run has ended.
const StatusAttached Status = "attached"

// A run that crashed, failed or was stopped is resumed by a turn without a
// text.
const (
	StatusRunning     Status = "running"     // the last record is younger than the lease
	StatusCrashed     Status = "crashed"     // the run has recorded nothing for a lease
	StatusAnswered    Status = "answered"    // the run is complete
	StatusInterrupted Status = "interrupted" // the run waits for replies
	StatusFailed      Status = "failed"      // the run ended with an error
	StatusStopped     Status = "stopped"     // the reader of the run left, or its context ended
)

// StatusAt returns the status at a time: [StatusCrashed] if the run is running
// and its last record, which was written at last, is older than the lease.
func (h *Header) StatusAt(now, last time.Time) Status {
	if h.Status == StatusRunning && !now.Before(last.Add(h.Lease)) {
		return StatusCrashed
	}
	return h.Status
}
