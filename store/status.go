package store

// A Status is the status of the last run of a thread. It is empty if the thread
// has no run.
type Status string

// A run that crashed, failed or was stopped is resumed by a turn without a text.
const (
	StatusRunning     Status = "running"     // the last record is younger than the lease
	StatusCrashed     Status = "crashed"     // the run has recorded nothing for a lease
	StatusAnswered    Status = "answered"    // the run is complete
	StatusInterrupted Status = "interrupted" // the run waits for replies
	StatusFailed      Status = "failed"      // the run ended with an error
	StatusStopped     Status = "stopped"     // the reader of the run left, or its context ended
)
