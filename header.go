package qed

import (
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
)

// maxTitle is how much of a thread's first message is its title, in bytes.
const maxTitle = 200

// header returns what a list of threads shows of the thread while its last run
// has a status.
func (rs *runState) header(s store.Status) *store.Header {
	return &store.Header{
		User: rs.turn.User, Tenant: rs.turn.Tenant, Title: rs.title, Status: s, Turns: rs.turns, Lease: rs.opt.lease(),
	}
}

// header returns what a list of threads shows of a thread that has ended.
func (end *endedData) header() *store.Header {
	return &store.Header{
		User: end.User, Tenant: end.Tenant, Title: end.Title, Status: end.Status, Turns: end.Turns,
	}
}

// countRun counts a run that begins with a message. The first message of a thread
// becomes its title.
func (rs *runState) countRun(message string) {
	if rs.turns++; rs.title == "" {
		rs.title = prompt.Clip(message, maxTitle)
	}
}
