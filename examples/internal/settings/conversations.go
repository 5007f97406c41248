package settings

import (
	"cmp"
	"time"
)

// Conversations say how conversations are kept, and what of them a model is told.
// Zero numbers mean the defaults of package sqlstore and of qed.Memory.
type Conversations struct {
	// Path is the SQLite file that keeps them.
	Path string // CONVERSATION_DB_PATH

	MaxAge          time.Duration // CONVERSATION_MAX_AGE_HOURS; negative: nothing is deleted
	CleanupInterval time.Duration // CONVERSATION_CLEANUP_INTERVAL_HOURS

	RetryAttempts int           // CONVERSATION_DB_RETRY_ATTEMPTS; negative: none
	RetryDelay    time.Duration // CONVERSATION_DB_RETRY_DELAY, in seconds

	// Messages is how many of the last messages are told in full.
	Messages int // MAX_CONVERSATION_MESSAGES

	// Tiered has older messages told as summaries.
	Tiered bool // CONVERSATION_MEMORY_STRATEGY
}

func (r *reader) conversations() Conversations {
	c := Conversations{Path: cmp.Or(r.get("CONVERSATION_DB_PATH"), "data/conversations.db")}
	r.duration("CONVERSATION_MAX_AGE_HOURS", &c.MaxAge, time.Hour, 0, 1e6)
	if c.MaxAge == 0 && r.get("CONVERSATION_MAX_AGE_HOURS") != "" {
		c.MaxAge = -1 // as zero Options mean the default
	}
	r.duration("CONVERSATION_CLEANUP_INTERVAL_HOURS", &c.CleanupInterval, time.Hour, 0.001, 1e6)
	r.countOrNone("CONVERSATION_DB_RETRY_ATTEMPTS", &c.RetryAttempts)
	r.duration("CONVERSATION_DB_RETRY_DELAY", &c.RetryDelay, time.Second, 0.001, 60)
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
