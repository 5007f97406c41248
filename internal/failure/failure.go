// Package failure makes the errors of the engines of package sqldb, with texts
// that are safe to show.
package failure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/qedkit/qed/sqldb"
)

// New returns an error of the given kind. The message is one sentence, with
// what to do about it if that is known.
func New(kind sqldb.Kind, message string) *sqldb.Error {
	return &sqldb.Error{Kind: kind, Message: message}
}

// Newf is New with a formatted message.
func Newf(kind sqldb.Kind, format string, args ...any) *sqldb.Error {
	return New(kind, fmt.Sprintf(format, args...))
}

// Wrap is New with a cause.
func Wrap(kind sqldb.Kind, message string, cause error) *sqldb.Error {
	return &sqldb.Error{Kind: kind, Message: message, Err: cause}
}

// Open opens a database file, which must be a regular file that may be read.
func Open(path string) (*os.File, error) {
	name := filepath.Base(path)
	// A named pipe has to be found before it is opened: that waits for a writer.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, New(sqldb.ErrUnreadable, name+" is not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		directory := ""
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			directory = ", and its directory does not exist"
		}
		return nil, Wrap(sqldb.ErrMissing, "there is no file "+name+directory+": check the path; Open creates no file", fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return nil, Wrap(sqldb.ErrUnreadable, "this user may not read "+name, fs.ErrPermission)
	case err != nil:
		return nil, Wrap(sqldb.ErrUnreadable, name+" cannot be opened", errors.Unwrap(err))
	}
	return f, nil
}

// OnlyMain returns an error if schemas has one that is not main, for an engine that reads
// no other.
func OnlyMain(schemas []string) error {
	for _, name := range schemas {
		if name != "" && !strings.EqualFold(name, "main") {
			return Newf(sqldb.ErrMissing, "there is no schema %q: only the tables of main can be read", name)
		}
	}
	return nil
}

// maxRunes is the length of the longest text that [Line] returns.
const maxRunes = 300

// Line returns message as one line of valid UTF-8. A long message is cut.
func Line(message string) string {
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(message, "\uFFFD"))
	if r := []rune(message); len(r) > maxRunes {
		message = string(r[:maxRunes]) + "…"
	}
	return strings.TrimSpace(message)
}

// WithoutQuoted returns message without the text from the first to the last of
// quotes, which may be a value of a row.
func WithoutQuoted(message, quotes string) string {
	first, last := strings.IndexAny(message, quotes), strings.LastIndexAny(message, quotes)
	if first < 0 {
		return message
	}
	return message[:first] + "…" + message[last+1:]
}
