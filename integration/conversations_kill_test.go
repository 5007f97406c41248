package integration_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// talkingEnv is the file of the conversations, in the process that is killed.
const talkingEnv = "QED_TEST_TALKING"

// roundEnv is how many such processes there were before.
const roundEnv = "QED_TEST_ROUND"

// inRound returns a context whose clock is later than every lease of the processes
// before, so that a run can be resumed at once.
func inRound(ctx context.Context, round int) context.Context {
	return qed.WithClock(ctx, func() time.Time { return time.Now().Add(time.Duration(round) * time.Hour) })
}

const talkers = 6

func sayIn(thread string) func(turn int) string {
	return func(turn int) string { return fmt.Sprintf("%s, turn %d", thread, turn) }
}

// talk continues the conversations of a file until the process is killed. It prints
// every turn that was saved.
func talk(path string) int {
	st, err := sqlitestore.Open(path, nil)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	agent := talker(nil, st)
	round, err := strconv.Atoi(os.Getenv(roundEnv))
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	ctx := inRound(context.Background(), round)
	var wait sync.WaitGroup
	for i := range talkers {
		wait.Go(func() {
			thread := fmt.Sprintf("thread %d", i)
			for {
				turn, err := nextTurn(ctx, agent, st, thread)
				if err != nil {
					fmt.Println("error", thread, err)
					return
				}
				fmt.Println("saved", i, turn)
			}
		})
	}
	wait.Wait()
	return 1
}

// nextTurn resumes the run of a thread if it was stopped, or else takes the next
// turn. It returns the number of the turn that was saved.
func nextTurn(ctx context.Context, agent qed.Agent, st store.Store, thread string) (int, error) {
	messages, err := qed.Messages(ctx, st, thread, 0)
	if err != nil {
		return 0, err
	}
	turn := len(messages)/2 + 1
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: thread})
	if errors.Is(err, qed.ErrQuestionClosed) {
		answer, err = qed.Ask(ctx, agent, qed.Turn{Thread: thread, Text: sayIn(thread)(turn)})
	}
	switch {
	case err != nil:
		return 0, err
	case !answer.Saved || answer.Text != answerTo(sayIn(thread)(turn), turn):
		return 0, fmt.Errorf("turn %d: the answer is %+v", turn, answer)
	}
	return turn, nil
}

// A process is killed at two hundred random moments. Every turn that it reported as
// saved is there, and every conversation continues.
func TestKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	// The last saved turn of each conversation, and the round that reported it.
	saved, reported := make([]int, talkers), make([]int, talkers)
	const rounds = 200
	for round := range rounds {
		talkAndDie(t, path, round, saved, reported)
		if t.Failed() {
			return
		}
	}
	st, err := sqlitestore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	agent, ctx := talker(t, st), inRound(t.Context(), rounds)
	for i, least := range saved {
		thread := fmt.Sprintf("thread %d", i)
		turn, err := nextTurn(ctx, agent, st, thread)
		if err != nil {
			t.Errorf("%s does not continue: %v", thread, err)
			continue
		}
		if turn <= least {
			t.Errorf("%s continues with turn %d, but turn %d was saved", thread, turn, least)
		}
		if err := whole(ctx, st, thread, turn, sayIn(thread)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("turns saved before the last kill: %v", saved)
}

// talkAndDie runs a process that talks, kills it after a random time, and checks
// and records the turns that it reported.
func talkAndDie(t *testing.T, path string, round int, saved, reported []int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), talkingEnv+"="+path, fmt.Sprintf("%s=%d", roundEnv, round))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(rand.N(150*time.Millisecond), func() { cmd.Process.Kill() })
	defer kill.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var thread, turn int
		if n, _ := fmt.Sscanf(lines.Text(), "saved %d %d", &thread, &turn); n != 2 {
			t.Errorf("round %d: %s", round, lines.Text())
			continue
		}
		// In each round since then one turn may have been saved but not
		// reported before the kill.
		if turn <= saved[thread] || turn > saved[thread]+1+round-reported[thread] {
			t.Errorf("round %d: thread %d continued with turn %d after %d", round, thread, turn, saved[thread])
		}
		saved[thread], reported[thread] = turn, round
	}
	cmd.Wait()
}
