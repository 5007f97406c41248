package joingraph_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

// The files are what the programs in export wrote for the models of the same directory.
func TestExports(t *testing.T) {
	for name, want := range map[string][]string{
		"sequelize": {
			"billing.invoice.correctedId -> billing.invoice.id N:1 0.9 corrected",
			"billing.invoice.customerId -> customer.id N:1 0.9",
			"billing.invoiceOrder.invoiceId -> billing.invoice.id N:1 0.9",
			"billing.invoiceOrder.workOrderId -> workOrder.id N:1 0.9",
			"employeeSkill.employeeId -> employee.id N:1 0.9",
			"employeeSkill.skillId -> skill.id N:1 0.9",
			"note.entityId -> customer.id N:1 0.6",
			"note.entityId -> workOrder.id N:1 0.6",
			"profile.employeeId -> employee.id 1:1 0.9",
			"workOrder.billingId -> address.id N:1 0.9 billing address",
			"workOrder.customer_id -> customer.id N:1 0.9",
			"workOrder.parentId -> workOrder.id N:1 0.9 parent",
			"workOrder.shippingId -> address.id N:1 0.9 shipping address",
			"workTime.employeeId -> employee.id N:1 0.9",
			"workTime.workOrderId -> workOrder.id N:1 0.9",
		},
		"prisma": {
			"billing.invoice.clerk_id -> public.employee.id N:1 0.95 clerk",
			"public.employee.manager_id -> public.employee.id N:1 0.95 manager",
			"public.profile.employee_id -> public.employee.id 1:1 0.95",
			"public.stock_count.(warehouse_id, part_id) -> public.stock.(warehouse_id, part_id) N:1 0.95",
		},
		"django": {
			"billing.invoice.clerk_id -> service_employee.id N:1 0.95 clerk",
			"billing.invoice_orders.invoice_id -> billing.invoice.id N:1 0.95",
			"billing.invoice_orders.workorder_id -> service_workorder.id N:1 0.95",
			"billing.payment.invoice_id -> billing.invoice.id N:1 0.95",
			"service_employee.manager_id -> service_employee.id N:1 0.95 manager",
			"service_employee_skills.employee_id -> service_employee.id N:1 0.95",
			"service_employee_skills.skill_id -> service_skill.id N:1 0.95",
			"service_profile.employee_id -> service_employee.id 1:1 0.95",
			"service_workorder.billing -> service_address.id N:1 0.95 billing address",
			"service_workorder.customer_id -> customer.id N:1 0.95",
			"service_workorder.shipping_address_id -> service_address.id N:1 0.95 shipping address",
		},
		"sqlalchemy": {
			"billing.invoice.clerk_id -> employee.id N:1 0.95 clerk",
			"billing.invoice.corrected_id -> billing.invoice.id N:1 0.95 corrected",
			"employee.manager_id -> employee.id N:1 0.95 manager",
			"employee_skill.employee_id -> employee.id N:1 0.95",
			"employee_skill.skill_id -> skill.id N:1 0.95",
			"profile.employee_id -> employee.id 1:1 0.95",
			"stock_count.(part_id, warehouse_id) -> stock.(part_id, warehouse_id) N:1 0.95",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open("testdata/export/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			s, problems, err := joinpath.Import(file)
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			var got []string
			for _, r := range s.Relationships {
				line := fmt.Sprint(r, " ", r.Cardinality, " ", r.Confidence)
				if r.Role != "" {
					line += " " + r.Role
				}
				if r.Type != joinpath.Association || len(r.Provenance) == 0 {
					t.Errorf("%v: type %q, provenance %q", r, r.Type, r.Provenance)
				}
				got = append(got, line)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
