package integration

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// MariaDBOwn starts a MariaDB server that serves one test alone, which may kill it
// and start it again.
func MariaDBOwn(tb testing.TB) *MariaDBServer {
	tb.Helper()
	server, err := program("mariadbd")
	if err != nil {
		missing(tb, "mariadb", err, "apt-get install --no-install-recommends mariadb-server")
	}
	s, err := newMariaDBServer(server)
	if err != nil {
		tb.Fatalf("mariadb: %v", err)
	}
	tb.Cleanup(s.remove)
	if err := s.Start(); err != nil {
		tb.Fatalf("mariadb: %v", err)
	}
	return s
}

// MariaDBServer is a server on a port and in a folder of its own.
type MariaDBServer struct {
	dir, program string
	args         []string
	config       *mysql.Config
	process      *process
}

// Config returns how the administrator connects.
func (s *MariaDBServer) Config() *mysql.Config { return s.config.Clone() }

// Kill ends the server at once, whatever it is doing.
func (s *MariaDBServer) Kill() {
	s.process.cmd.Process.Kill()
	<-s.process.done
}

// Start starts the server, on the same port and with the same data.
func (s *MariaDBServer) Start() error {
	p, err := start(filepath.Join(s.dir, "log"), s.program, s.args...)
	if err != nil {
		return err
	}
	s.process = p
	return p.wait(func() error {
		connector, err := mysql.NewConnector(s.config)
		if err != nil {
			return err
		}
		db := sql.OpenDB(connector)
		defer db.Close()
		return db.Ping()
	})
}

func (s *MariaDBServer) remove() {
	if s.process != nil {
		s.process.stop()
	}
	os.RemoveAll(s.dir)
}

func newMariaDBServer(program string) (s *MariaDBServer, err error) {
	dir, err := os.MkdirTemp("", "qed-mariadb-")
	if err != nil {
		return nil, err
	}
	s = &MariaDBServer{dir: dir, program: program}
	defer func() {
		if err != nil {
			s.remove()
		}
	}()
	s.args = []string{"--no-defaults", "--datadir=" + filepath.Join(dir, "data")}
	if os.Geteuid() == 0 {
		s.args = append(s.args, "--user=root") // the server refuses to be root unless told
	}
	install, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	out, err := exec.Command(install, append(s.args[:len(s.args):len(s.args)], "--auth-root-authentication-method=normal", "--skip-test-db")...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w; it wrote:\n%s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s.args = append(s.args,
		"--socket="+filepath.Join(dir, "socket"),
		fmt.Sprintf("--port=%d", port),
		"--bind-address=127.0.0.1",
		"--innodb-buffer-pool-size=32M",
		"--skip-log-bin",
	)
	s.config = mysql.NewConfig()
	s.config.User, s.config.Net, s.config.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", port)
	return s, nil
}
