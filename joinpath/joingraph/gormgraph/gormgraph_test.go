package gormgraph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm/schema"

	"github.com/qedkit/qed/joinpath/joingraph/gormgraph"
)

type Skill struct {
	ID   uint
	Name string
}

type Employee struct {
	ID        uint
	ManagerID *uint
	Manager   *Employee
	Skills    []Skill `gorm:"many2many:employee_skill"`
	Profile   Profile
	Friends   []*Employee `gorm:"many2many:friendship"`
}

type Profile struct {
	ID         uint
	EmployeeID uint
}

type Address struct{ ID uint }

type WorkOrder struct {
	ID             uint
	Billing        uint    `gorm:"column:billing"`
	BillingAddress Address `gorm:"foreignKey:Billing"`
	Notes          []Note  `gorm:"polymorphic:Owner"`
}

type Note struct {
	ID        uint
	OwnerID   uint
	OwnerType string
}

type Stock struct {
	WarehouseID uint `gorm:"primaryKey"`
	PartID      uint `gorm:"primaryKey"`
}

type StockCount struct {
	ID             uint
	InHouse, InBin uint
	Stock          Stock `gorm:"foreignKey:InHouse,InBin;references:WarehouseID,PartID"`
}

// Invoice is in another schema.
type Invoice struct {
	ID       uint
	ClerkID  uint
	Clerk    Employee
	Orders   []WorkOrder `gorm:"many2many:billing.invoice_order"`
	Payments []Payment
}

func (Invoice) TableName() string { return "billing.invoice" }

type Payment struct {
	ID        uint
	InvoiceID uint
}

func TestRead(t *testing.T) {
	got, err := gormgraph.Read(nil, &Employee{}, &WorkOrder{}, &StockCount{}, &Invoice{})
	if err != nil {
		t.Fatal(err)
	}
	var joins []string
	for _, r := range got.Relationships {
		joins = append(joins, fmt.Sprintf("%v %s %v %s %q %q", r, r.Cardinality, r.Confidence, r.Role, r.Provenance, r.Evidence))
	}
	slices.Sort(joins)
	want := []string{
		"billing.invoice.clerk_id -> employees.id N:1 0.95 clerk [\"gorm: Invoice.Clerk\"] []",
		"billing.invoice_order.invoice_id -> billing.invoice.id N:1 0.95  [\"gorm: Invoice.Orders\"] []",
		"billing.invoice_order.work_order_id -> work_orders.id N:1 0.95  [\"gorm: Invoice.Orders\"] []",
		"employee_skill.employee_id -> employees.id N:1 0.95  [\"gorm: Employee.Skills\"] []",
		"employee_skill.skill_id -> skills.id N:1 0.95  [\"gorm: Employee.Skills\"] []",
		"employees.manager_id -> employees.id N:1 0.95 manager [\"gorm: Employee.Manager\"] []",
		"friendship.employee_id -> employees.id N:1 0.95  [\"gorm: Employee.Friends\"] []",
		"friendship.friend_id -> employees.id N:1 0.95  [\"gorm: Employee.Friends\"] []",
		`notes.owner_id -> work_orders.id N:1 0.6  ["gorm: WorkOrder.Notes"] ["only rows with owner_type = \"work_orders\""]`,
		"payments.invoice_id -> billing.invoice.id N:1 0.95  [\"gorm: Invoice.Payments\"] []",
		"profiles.employee_id -> employees.id 1:1 0.95  [\"gorm: Employee.Profile\"] []",
		"stock_counts.(in_house, in_bin) -> stocks.(warehouse_id, part_id) N:1 0.95  [\"gorm: StockCount.Stock\"] []",
		"work_orders.billing -> addresses.id N:1 0.95 billing address [\"gorm: WorkOrder.BillingAddress\"] []",
	}
	if diff := cmp.Diff(want, joins); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	singular, err := gormgraph.Read(schema.NamingStrategy{SingularTable: true, TablePrefix: "t_"}, &Employee{})
	if err != nil {
		t.Fatal(err)
	}
	if r := singular.Relationships[0]; r.ToTable != "t_employee" {
		t.Errorf("with a naming strategy: %v", r)
	}
	if _, err := gormgraph.Read(nil, 7); err == nil {
		t.Error("a number is no model")
	}
}
