package router

import (
	"embed"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/modelcall"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// routeData is the data of the prompt that chooses a route.
type routeData struct {
	Question string // the user's message
	Routes   []routeText
	Known    string // what is remembered of the user; quoted data

	// Unknown is the name in the model's last reply, which is not a route, and
	// Candidates are similar names. Both are empty in the first prompt.
	Unknown    string
	Candidates []string
}

func (d *routeData) ShrinkRows() bool { return modelcall.Drop(&d.Known) }

// generalData is the data of the instructions for the general route.
type generalData struct {
	Language string      // of the answer, such as "de"; empty: that of the question
	Dates    dates.Facts // today and the calendar
	Routes   []routeText // the other routes
	Known    string      // what is remembered of the user; quoted data
}

// routeText is a route in a prompt.
type routeText struct{ Name, Description string }
