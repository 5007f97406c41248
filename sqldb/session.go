package sqldb

import (
	"context"
	"fmt"
	"strings"
)

// Session is what a database session is told before a statement and forgets
// after it: who asks, with which key, in which role. It comes from the host
// alone. No statement of a model can read it or change it.
//
// SQLite has no sessions: there, a Session that holds anything is an error.
type Session struct {
	// Settings are variables of the session by name, for secure views and
	// row-level security to read: "aesKey" is MySQL's user variable @aesKey,
	// "app.tenant" is what PostgreSQL's current_setting('app.tenant') answers.
	// A name is of ASCII letters, digits, _ and dots; no server tells upper
	// from lower case in it. A value is nil, a string, []byte, bool, int,
	// int64 or float64. It reaches the server as text, bytes in MySQL as bytes.
	// nil is NULL in MySQL and the empty text in PostgreSQL, which for that takes
	// no other empty one, and bytes there only where they are UTF-8: write a key
	// of random bytes in hexadecimal.
	//
	// Give every name that a view reads, each time: nil for what does not
	// apply.
	Settings map[string]any

	// Role is the role that the statement runs as; empty: the account's own.
	// In MySQL and MariaDB the connection is not used again after it.
	Role string

	// SearchPath is where PostgreSQL looks for functions, operators and types,
	// after its own; empty: nowhere else. Tables are always named with their
	// schema. Only PostgreSQL has one. Name schemas alone in which nobody but an
	// administrator makes things: a function that fits its arguments better than
	// the server's own of that name is called in its place.
	SearchPath []string
}

// SessionFunc answers the session of the caller that ctx belongs to; nil is one
// without settings. Its error keeps the statement from running, and is found by
// [errors.Is] in that of [DB.Query], whose text does not tell it. It is called
// once for each Query, before anything else is waited for, from as many
// goroutines as call Query. What it answers must not change while Query runs.
type SessionFunc func(ctx context.Context) (*Session, error)

// PerSession reports whether what a statement reads may depend on the caller's
// session, so that what one caller saw must not be kept for another.
func (db *DB) PerSession() bool { return db.opt.Session != nil }

// session is the session of one Query, never nil.
func (db *DB) session(ctx context.Context) (*Session, error) {
	if db.opt.Session == nil {
		return &Session{}, nil
	}
	s, err := db.opt.Session(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		stopped := db.failure(ctx, err)
		stopped.Err = err
		return nil, stopped
	case err != nil:
		return nil, &Error{Kind: ErrSession, Message: "Options.Session failed, nothing ran; see the wrapped error", Err: err}
	case s == nil:
		return &Session{}, nil
	}
	return s, s.check()
}

// check refuses what no engine could take. No error holds a value.
func (s *Session) check() error {
	folded := make(map[string]string, len(s.Settings))
	for name, value := range s.Settings {
		if !settingName(name) {
			return &Error{Kind: ErrArgument, Message: fmt.Sprintf("the name of the session's setting %q is not of letters, digits, _ and dots", name)}
		}
		switch value.(type) {
		case nil, string, []byte, bool, int, int64, float64:
		default:
			return &Error{Kind: ErrArgument, Message: fmt.Sprintf("the session's setting %s is a %T: it can be nil, a string, []byte, bool, int, int64 or float64", name, value)}
		}
		lower := strings.ToLower(name)
		if other, twice := folded[lower]; twice {
			return &Error{Kind: ErrArgument, Message: fmt.Sprintf("the session's settings %s and %s are one to the server: give it once", min(name, other), max(name, other))}
		}
		folded[lower] = name
	}
	return nil
}

func settingName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '_', c == '.':
		default:
			return false
		}
	}
	return name != ""
}
