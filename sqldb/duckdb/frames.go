package duckdb

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// maxFrameRows limits the rows that DuckDB expects of a window, if it reads the whole
// frame again for each row. It looks at the time limit only after 2048 rows.
const maxFrameRows = 4000

// indexed are the window functions that have an ORDER BY among their arguments and do
// not read all rows of the frame.
var indexed = regexp.MustCompile(`(?i)^"?(first_value|last_value|nth_value|lead|lag|rank|dense_rank|row_number|ntile|` +
	`percent_rank|cume_dist|fill)"?\(`)

// checkFrames returns an error of kind [sqldb.ErrTooLarge] for a window with too many
// rows and an aggregate that has an ORDER BY among its arguments, or DISTINCT next to
// EXCLUDE. In a text that a statement contains, these words count, too.
func (n *node) checkFrames() error {
	if strings.TrimSpace(n.Name) == "WINDOW" && n.rows() > maxFrameRows {
		for _, call := range list(n.Info["Projections"]) {
			args := call[:max(0, strings.LastIndex(call, " OVER ("))]
			isSlow := strings.Contains(args, " ORDER BY ") ||
				strings.Contains(args, "DISTINCT ") && strings.Contains(call, " EXCLUDE ")
			if isSlow && !indexed.MatchString(call) {
				return failure.New(sqldb.ErrTooLarge, fmt.Sprintf("an aggregate over a window has DISTINCT with EXCLUDE, or ORDER BY "+
					"among its arguments, which takes long for the %.0f rows that DuckDB expects, where at most %d are possible: "+
					"leave these out, narrow the rows, or join a subquery that computes it with GROUP BY", n.rows(), maxFrameRows))
			}
		}
	}
	for i := range n.Children {
		if err := n.Children[i].checkFrames(); err != nil {
			return err
		}
	}
	return nil
}
