package secureview

import "regexp"

// server is what a [Setup] depends on of a kind of database server.
type server struct {
	account func(name string) (quoted string, err error)
	setting func(name string) error

	// What a Key may have here.
	function        func(name string) error
	extensionSchema func(name string) error

	hidden      func(*Setup) []string // functions that no statement may call
	schemas     []string              // those that the server has of itself, folded
	types       *regexp.Regexp        // what an encrypted column can be read as
	typeNames   string                // the same for a message
	rowSecurity bool                  // filters can be without a view

	mark   string // is around names
	script func(*scripter)
}

// servers has them by the names of their dialects.
var servers = map[string]*server{"mysql": &mysqlServer, "postgres": &postgresServer}
