package servers

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
)

func parseMySQL(u *url.URL) (*database.Database, error) {
	name := strings.TrimPrefix(u.Path, "/")
	if name == "" {
		return nil, errors.New("the URL names no database: mysql://user:password@host/database")
	}
	parameters := u.Query()
	further, err := database.Schemas(parameters)
	if err != nil {
		return nil, err
	}
	for _, parameter := range []string{"parseTime", "multiStatements"} {
		if parameters.Has(parameter) {
			return nil, fmt.Errorf("the URL sets %s, which this program sets itself: leave it out", parameter)
		}
	}
	// The driver reads no URLs. Its own format gets what is not secret.
	config, err := driver.ParseDSN("tcp(" + address(u, "3306") + ")/?" + parameters.Encode())
	if err != nil {
		return nil, fmt.Errorf("the URL's parameters: %w", err)
	}
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	config.DBName, config.Logger = name, quiet{}
	checked, err := mysqldb.OpenPool(config)
	if err != nil {
		return nil, fmt.Errorf("the URL's parameters: %w", err)
	}
	checked.Close() // it has no connection yet
	pool := func() *sql.DB {
		opened, err := mysqldb.OpenPool(config)
		if err != nil {
			panic(err) // the same config was accepted above
		}
		return limited(opened)
	}
	return &database.Database{
		Name:     at("MySQL or MariaDB", name, config.Addr, config.User),
		Dialect:  mysql.Dialect{},
		Schemas:  append([]string{name}, further...),
		User:     config.User,
		Password: config.Passwd,
		Reader:   func(opt sqldb.Options) (*sqldb.DB, error) { return mysqldb.New(pool(), &mysqldb.Options{Options: opt}) },
		Connect:  pool,
	}, nil
}

// quiet drops the driver's log: the same texts are returned as errors.
type quiet struct{}

func (quiet) Print(...any) {}

// address returns the URL's host and port.
func address(u *url.URL, port string) string {
	return net.JoinHostPort(cmp.Or(u.Hostname(), "127.0.0.1"), cmp.Or(u.Port(), port))
}
