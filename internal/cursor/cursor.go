// Package cursor writes the position of an entry of a list as a text, from
// which another process can continue the list.
package cursor

import (
	"strconv"
	"strings"
)

// A Position is that of an entry in a list that is ordered by time and then by
// key, newest first.
type Position struct {
	Time int64 // in microseconds
	Key  int64 // of the entry, among those of the same time
}

// String returns the text that [Parse] reads.
func (p Position) String() string {
	return strconv.FormatInt(p.Time, 36) + "." + strconv.FormatInt(p.Key, 36)
}

// Parse reads the text of a position. It reports whether s is one.
func Parse(s string) (p Position, ok bool) {
	first, second, _ := strings.Cut(s, ".")
	var err1, err2 error
	p.Time, err1 = strconv.ParseInt(first, 36, 64)
	p.Key, err2 = strconv.ParseInt(second, 36, 64)
	return p, err1 == nil && err2 == nil
}

// After reports whether p comes after other in the list.
func (p Position) After(other Position) bool {
	return p.Time < other.Time || p.Time == other.Time && p.Key < other.Key
}
