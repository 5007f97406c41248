package sqldb

// Finding is something about an account or a server that [DB.Check] holds to be
// wrong, and what cures it.
type Finding struct {
	Problem Problem `json:"problem"`
	Object  string  `json:"object,omitempty"` // the table, view, function or setting, as the server names it
	Message string  `json:"message"`          // one sentence

	// Cure is the statement that an administrator runs to cure it, without a
	// semicolon; empty where none does, and Message says what to do.
	Cure string `json:"cure,omitempty"`
}

// Problem is a kind of [Finding].
type Problem string

const (
	CanWrite      Problem = "can_write"       // it may change rows, tables or settings
	CanReadBase   Problem = "can_read_base"   // it may read a table past the view that stands for it
	CanReadMore   Problem = "can_read_more"   // it may read tables that the policy does not list
	CanCallKey    Problem = "can_call_key"    // it may call the function that answers the key
	CanReadFiles  Problem = "can_read_files"  // it may read files of the server, or run programs there
	CanSkipPolicy Problem = "can_skip_policy" // it is above row-level security: its owner, a superuser
	CannotRead    Problem = "cannot_read"     // it may not read what the policy lists
	Unsuitable    Problem = "unsuitable"      // a setting of the pool or the server under which values would be read wrongly
)
