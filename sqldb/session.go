package sqldb

import (
	"context"
	"strings"
)

// A Session is set on a connection before a statement and removed after it: the
// user's tenant, the key that decrypts, the role. It comes from the program
// alone. A statement of a model can neither read nor change it.
//
// SQLite and DuckDB have no sessions: a Session with anything but the settings that
// [secureview.Policy.Filters] compare is an error there.
type Session struct {
	// Settings are variables of the session, which secure views and row-level
	// security read, and the parameters of filters. "aesKey" is the user variable @aesKey of MySQL,
	// "app.tenant" is current_setting('app.tenant') of PostgreSQL. Return every
	// name that a view reads, each time; nil for those that do not apply. The settings
	// of filters are not sent to the server, unless the policy has a Setup.
	//
	// A name consists of ASCII letters, digits, _ and dots, and is not
	// case-sensitive. A value is nil, a string, []byte, bool, int, int64 or
	// float64.
	//
	//   - MySQL gets bytes as bytes, all other values as text, and nil as NULL.
	//   - PostgreSQL gets all values as text, and nil as the empty text. An
	//     empty string is an error there, and so are bytes that are not UTF-8:
	//     write a key of random bytes in hexadecimal.
	Settings map[string]any

	// Role is the role that the statement runs as. Empty means the account
	// itself. MySQL and MariaDB do not use the connection again after it.
	Role string

	// SearchPath is the list of schemas where PostgreSQL looks for functions,
	// operators and types, after its own. Empty means nowhere else. Tables are
	// always named with their schema. Other databases have no search path.
	// Name only schemas in which nobody but an administrator creates objects.
	// Functions of PostgreSQL are called with their schema, but for those that
	// citext has too. A schema with an operator for PostgreSQL's own types, in
	// another language than C, or with such a function that a statement calls, is
	// an error of kind [ErrSession]. The schemas of the extensions whose types a
	// statement reads, such as citext, need not be named.
	SearchPath []string
}

// A SessionFunc returns the session of the caller that ctx belongs to; nil
// means an empty one. It is called once for each [DB.Query], before Query waits
// for anything, and concurrently if Query is. The session must not change while
// Query runs.
//
// If it returns an error, the statement does not run. The error of Query wraps
// it, but does not show its text.
type SessionFunc func(ctx context.Context) (*Session, error)

// PerSession reports whether statements have sessions. Rows that were read for
// one caller must then not be shown to another.
func (db *DB) PerSession() bool { return db.opt.Session != nil }

// session returns the session of one Query. It is never nil.
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
		const message = "Options.Session failed, so the statement did not run; see the wrapped error"
		return nil, &Error{Kind: ErrSession, Message: message, Err: err}
	case s == nil:
		return &Session{}, nil
	}
	return s, s.check()
}

// check returns an error for what no engine accepts. The error contains no
// value.
func (s *Session) check() error {
	folded := make(map[string]string, len(s.Settings))
	for name, value := range s.Settings {
		if !settingName(name) {
			return errorf(ErrArgument,
				"the name of the session's setting %q may only contain ASCII letters, digits, _ and dots", name)
		}
		switch value.(type) {
		case nil, string, []byte, bool, int, int64, float64:
		default:
			return errorf(ErrArgument,
				"the session's setting %s is a %T: it can be nil, a string, []byte, bool, int, "+
					"int64 or float64", name, value)
		}
		lower := strings.ToLower(name)
		if other, twice := folded[lower]; twice {
			return errorf(ErrArgument,
				"the session's settings %s and %s are the same setting "+
					"to the server: use one of them", min(name, other), max(name, other))
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
