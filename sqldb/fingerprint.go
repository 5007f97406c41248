package sqldb

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Fingerprint returns a digest of what the server's interpretation of q depends
// on: its text, its objects, merged columns and fields, its pool, and the role
// and search path of its session. Queries with the same fingerprint read the same tables
// and columns, so that an engine can check one of them for all. Call it before
// q.SQL gets a comment.
func (q *Query) Fingerprint() [sha256.Size]byte {
	var b strings.Builder
	b.WriteString(q.SQL)
	for _, o := range q.Objects {
		fmt.Fprintf(&b, "\x00%q.%q", o.Schema, o.Name)
	}
	if len(q.Merged)+len(q.Fields) > 0 {
		fmt.Fprintf(&b, "\x00%q %q", q.Merged, q.Fields)
	}
	fmt.Fprintf(&b, "\x00%d %q %q", q.Pool, q.Session.Role, q.Session.SearchPath)
	return sha256.Sum256([]byte(b.String()))
}
