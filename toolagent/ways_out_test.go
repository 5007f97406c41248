package toolagent_test

import (
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

// The approval of a call, and the question of a tool, can be left in each way.
func TestWaysOut(t *testing.T) {
	for _, name := range []string{"send", "choose"} {
		t.Run(name, func(t *testing.T) {
			qedtest.WaysOut(t, func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent {
				m := &mind{think: func(req *llm.Request) reply {
					if last := req.Messages[len(req.Messages)-1]; last.Role == llm.RoleTool {
						return says("It is done.")
					}
					return calls(name + " {}")
				}}
				return newAgent(t, wrap(m), travelTools(t, &qedtest.Ledger{}), &toolagent.Options{Store: &store.InMemory{}})
			}, "Do what you can.")
		})
	}
}
