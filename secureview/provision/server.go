package provision

import (
	"regexp"

	"github.com/qedkit/qed/secureview"
)

// A server is what a setup depends on in one kind of database server.
type server struct {
	account func(name string) (quoted string, err error) // checks and quotes an account
	setting func(name string) error                      // checks the name of a setting

	extensionSchema func(name string) error // checks Key.Schema

	types       *regexp.Regexp // the types that decrypted values can have
	typeNames   string         // the same, for messages
	rowSecurity bool           // whether a table without a view can have filters

	mark   string // the quote of identifiers
	script func(*scripter)

	filter func(*scripter, secureview.Filter) string                   // the condition of a filter
	match  func(s *scripter, column, setting string, list bool) string // of a parameter of one
}

// servers holds the servers by the names of their dialects.
var servers = map[string]*server{"mysql": &mysqlServer, "postgres": &postgresServer}
