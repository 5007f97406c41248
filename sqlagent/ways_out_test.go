package sqlagent_test

import (
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// Each of the agent's questions can be left in each way.
func TestWaysOut(t *testing.T) {
	always := func(rules ...llmtest.Rule) llm.Model { // the reply of a rule, however often
		for i := range rules {
			rules[i].Repeat = true
		}
		return llmtest.New(rules...)
	}
	rewritten := reply("rewrite", llmtest.Reply{JSON: map[string]any{"request": "How many crews?", "kept": []string{}}})
	for name, open := range map[string]func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent{
		"estimate": func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent {
			m := always(rewritten, reply("select_tables", tables("crew")), reply("generate", query("SELECT count(*) FROM crew")), reply("answer", text("Seven.")))
			return newAgent(t, wrap(m), newEstimating(), &sqlagent.Options{MaxEstimate: limited, Store: &store.InMemory{}})
		},
		"joins": func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent {
			m := always(rewritten, reply("select_tables", tables("invoice", "address")),
				reply("generate", query("SELECT a.city FROM invoice i JOIN address a ON a.id = i.shippingId")),
				reply("correct", query("SELECT a.city FROM invoice i JOIN address a ON a.id = i.billingId")), reply("answer", text("Berlin.")))
			return twoWays(t, wrap(m), &sqlagent.Options{InterruptForJoins: true, Store: &store.InMemory{}})
		},
	} {
		t.Run(name, func(t *testing.T) { qedtest.WaysOut(t, open, "How many crews are in the cities?") })
	}
}
