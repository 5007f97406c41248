package analyst

import "github.com/qedkit/qed/internal/usertext"

// texts are the texts of this package that users see.
type texts struct {
	Busy      string // too many explorations of the user are running
	Unproved  string // before the numbers {numbers} of a report that the model typed
	Unchecked string // a report whose text is not complete
}

var textTable = usertext.Of[texts]("analyst")
