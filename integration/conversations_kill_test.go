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

// talkingEnv has, in the process that is killed, the file of its conversations.
const talkingEnv = "QED_TEST_TALKING"

// roundEnv has which process in a row it is.
const roundEnv = "QED_TEST_ROUND"

// inRound returns a context whose clock says that the process before is long dead, so that its leases need not be waited for.
func inRound(ctx context.Context, round int) context.Context {
	return qed.WithClock(ctx, func() time.Time { return time.Now().Add(time.Duration(round) * time.Hour) })
}

const talkers = 6

func sayIn(thread string) func(turn int) string {
	return func(turn int) string { return fmt.Sprintf("%s, turn %d", thread, turn) }
}

// talk goes on with the conversations of a file until it is killed. It prints every turn that is saved.
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

// nextTurn goes on with a run that stopped, or says the next thing. It returns the number of the turn that is saved.
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

// A process is killed at two hundred moments of chance. What it reported as saved is there, and every conversation goes on.
func TestKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	saved, told := make([]int, talkers), make([]int, talkers) // the last turn of each, and the round in which it was reported
	const rounds = 200
	for round := range rounds {
		talkAndDie(t, path, round, saved, told)
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
			t.Errorf("%s does not go on: %v", thread, err)
			continue
		}
		if turn <= least {
			t.Errorf("%s goes on with turn %d, and turn %d was saved", thread, turn, least)
		}
		if err := whole(ctx, st, thread, turn, sayIn(thread)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("turns saved before the last kill: %v", saved)
}

// talkAndDie runs a process that talks, kills it after a while, and notes what it reported.
func talkAndDie(t *testing.T, path string, round int, saved, told []int) {
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
		// In each round since, one may have been saved and not reported before the kill.
		if turn <= saved[thread] || turn > saved[thread]+1+round-told[thread] {
			t.Errorf("round %d: thread %d went on with turn %d after %d", round, thread, turn, saved[thread])
		}
		saved[thread], told[thread] = turn, round
	}
	cmd.Wait()
}
