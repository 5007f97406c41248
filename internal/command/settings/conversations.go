package settings

import (
	"cmp"
	"time"

	"github.com/qedkit/qed/retry"
)

// Conversations says how conversations are stored, and how much of them a model
// gets. Zero numbers mean the defaults of package sqlstore and of qed.Memory.
type Conversations struct {
	// Path is the SQLite file that stores them.
	Path string // CONVERSATION_DB_PATH

	MaxAge          time.Duration // CONVERSATION_MAX_AGE_HOURS; 0: nothing is deleted
	CleanupInterval time.Duration // CONVERSATION_CLEANUP_INTERVAL_HOURS

	Retry retry.Policy // CONVERSATION_DB_RETRY_ATTEMPTS (after the first), CONVERSATION_DB_RETRY_DELAY

	// Messages is the number of recent messages that the model gets in full.
	Messages int // MAX_CONVERSATION_MESSAGES

	// Tiered gives the model summaries of the older messages.
	Tiered bool // CONVERSATION_MEMORY_STRATEGY
}

func (r *reader) conversations() Conversations {
	c := Conversations{Path: cmp.Or(r.get("CONVERSATION_DB_PATH"), "data/conversations.db")}
	r.duration("CONVERSATION_MAX_AGE_HOURS", &c.MaxAge, time.Hour, 0, 1e6)
	r.duration("CONVERSATION_CLEANUP_INTERVAL_HOURS", &c.CleanupInterval, time.Hour, 0.001, 1e6)
	if attempts := "CONVERSATION_DB_RETRY_ATTEMPTS"; r.get(attempts) != "" {
		r.whole(attempts, &c.Retry.Attempts, 0, "a whole number of at least 0")
		c.Retry.Attempts++ // the first attempt
	}
	r.duration("CONVERSATION_DB_RETRY_DELAY", &c.Retry.Wait, time.Second, 0.001, 60)
	r.count("MAX_CONVERSATION_MESSAGES", &c.Messages)

	const strategy = "CONVERSATION_MEMORY_STRATEGY"
	switch text := r.get(strategy); text {
	case "", "simple":
	case "tiered":
		c.Tiered = true
	default:
		r.problem(strategy, text, "simple or tiered")
	}
	return c
}
