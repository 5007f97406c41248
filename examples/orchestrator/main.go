// Orchestrator is a chat that passes each question to the agent that can answer it:
// the SQL agent, the documents, or the model alone. It stores its conversations: if it
// ends, is interrupted or is killed, the same command continues the conversation.
//
// Without arguments it asks the database of a field-service company and the manual of
// its software. Without a model it replays a recorded conversation: the model's words
// are recorded, everything else really runs.
//
//	go run ./examples/orchestrator                 # continues the conversation, or begins it
//	go run ./examples/orchestrator -thread audit   # a conversation by its name
//	go run ./examples/orchestrator -crash-at 9     # crashes on purpose: run it again without the flag
//	go run ./examples/orchestrator -dsn app.db -policy policy.json -docs handbook/
//	go run ./examples/orchestrator -store postgres://user:password@127.0.0.1:5432/chats
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a
// .env file, name the model. With EMBEDDING_MODEL the documents are searched by
// meaning, without it by their words. See .env.example for all settings.
//
// Conversations are stored in the SQLite file data/conversations.db below the working
// directory, in the file that CONVERSATION_DB_PATH names, or where -store says: in a
// file, or in a MySQL, MariaDB or PostgreSQL database. They are kept for ever, unless
// CONVERSATION_MAX_AGE_HOURS says after how many hours an answered one is deleted.
//
// # What can be typed
//
// A question, or a reply to the question that the program asks: the number of a
// choice, its text, other words, or another question instead. "Never mind" drops the
// question. An empty line resumes what was interrupted or failed. /help lists the
// commands.
//
// A turn that was cut off by a crash is resumed when the program starts again. What it
// had recorded is not done a second time. Nothing distinguishes a dead process from a
// slow one, so the program waits up to ten seconds first.
package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/qedkit/qed/examples/internal/transcript"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/assistant"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/llm"
)

func main() { command.Main("orchestrator", run) }

// lease is the time without a heartbeat after which a turn is treated as cut off.
const lease = 10 * time.Second

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	var script []string
	p, err := assistant.Open(ctx, &o.Options, out, func() (recorded llm.Model) {
		script, recorded = transcript.Replay(pause(out))
		return recorded
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if p.Live {
		script = nil
	}
	p.Show.Note("Conversations are stored in %s.", p.Place)
	agent, err := p.Agent(ctx, crashing(p.Store, o.crashAt), lease)
	if err != nil {
		return err
	}
	c := &conversation{agent: agent, store: p.Store, show: p.Show}
	return c.hold(ctx, o.thread, script, chat.Lines(ctx, in, p.Show))
}

// pause returns how long a replayed model waits before it answers. On a terminal a
// person can follow, and interrupt it.
func pause(out io.Writer) time.Duration {
	if chat.IsTerminal(out) {
		return 400 * time.Millisecond
	}
	return 0
}
