// A part of a field service application, in Sequelize.
const { Sequelize, DataTypes } = require("sequelize");
const sequelize = new Sequelize("sqlite::memory:", { logging: false, define: { freezeTableName: true, timestamps: false } });
const define = (name, columns, options) => sequelize.define(name, columns ?? {}, options);
const Employee = define("employee", { firstName: DataTypes.STRING });
const Customer = define("customer", { name: DataTypes.STRING });
const Address = define("address", { city: DataTypes.STRING });
const WorkOrder = define("workOrder", {
  customerId: { type: DataTypes.INTEGER, field: "customer_id" },
  billingId: DataTypes.INTEGER, shippingId: DataTypes.INTEGER, parentId: DataTypes.INTEGER,
});
const WorkTime = define("workTime", { employeeId: DataTypes.INTEGER, workOrderId: DataTypes.INTEGER });
const Note = define("note", { entityId: DataTypes.INTEGER, entityType: DataTypes.STRING });
const Skill = define("skill", { name: DataTypes.STRING });
const Profile = define("profile", { employeeId: DataTypes.INTEGER });

WorkOrder.belongsTo(Customer, { foreignKey: "customerId" });
Customer.hasMany(WorkOrder, { foreignKey: "customerId" });
WorkOrder.belongsTo(Address, { foreignKey: "billingId", as: "billingAddress" });
WorkOrder.belongsTo(Address, { foreignKey: "shippingId", as: "shippingAddress" });
WorkOrder.belongsTo(WorkOrder, { foreignKey: "parentId", as: "parent" });
WorkTime.belongsTo(Employee, { foreignKey: "employeeId" });
WorkTime.belongsTo(WorkOrder, { foreignKey: "workOrderId" });
Customer.hasMany(Note, { foreignKey: "entityId", constraints: false, scope: { entityType: "customer" } });
WorkOrder.hasMany(Note, { foreignKey: "entityId", constraints: false, scope: { entityType: "workOrder" } });
Employee.belongsToMany(Skill, { through: "employeeSkill", foreignKey: "employeeId", otherKey: "skillId" });
Employee.hasOne(Profile, { foreignKey: "employeeId" });
const Invoice = define("invoice", {}, { schema: "billing" });
Invoice.belongsTo(Customer, { foreignKey: "customerId" });
Invoice.belongsTo(Invoice, { foreignKey: "correctedId", as: "corrected" });
Invoice.belongsToMany(WorkOrder, { through: "invoiceOrder", foreignKey: "invoiceId", otherKey: "workOrderId" });
module.exports = { sequelize };
