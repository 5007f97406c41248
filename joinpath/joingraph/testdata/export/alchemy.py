# A part of a field service application, in SQLAlchemy.
from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Table
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


employee_skill = Table(
    "employee_skill",
    Base.metadata,
    Column("employee_id", ForeignKey("employee.id"), primary_key=True),
    Column("skill_id", ForeignKey("skill.id"), primary_key=True),
)


class Skill(Base):
    __tablename__ = "skill"
    id: Mapped[int] = mapped_column(primary_key=True)


class Employee(Base):
    __tablename__ = "employee"
    id: Mapped[int] = mapped_column(primary_key=True)
    manager_id: Mapped[int] = mapped_column(ForeignKey("employee.id"))
    manager: Mapped["Employee"] = relationship(remote_side=[id])
    skills: Mapped[list[Skill]] = relationship(secondary=employee_skill)
    profile: Mapped["Profile"] = relationship(back_populates="employee")


class Profile(Base):
    __tablename__ = "profile"
    id: Mapped[int] = mapped_column(primary_key=True)
    employee_id: Mapped[int] = mapped_column(ForeignKey("employee.id"))
    employee: Mapped[Employee] = relationship(back_populates="profile")


class Stock(Base):
    __tablename__ = "stock"
    warehouse_id: Mapped[int] = mapped_column(primary_key=True)
    part_id: Mapped[int] = mapped_column(primary_key=True)


class StockCount(Base):
    __tablename__ = "stock_count"
    id: Mapped[int] = mapped_column(primary_key=True)
    warehouse_id: Mapped[int]
    part_id: Mapped[int]
    stock: Mapped[Stock] = relationship()
    __table_args__ = (ForeignKeyConstraint(["warehouse_id", "part_id"], ["stock.warehouse_id", "stock.part_id"]),)


class Invoice(Base):
    __tablename__ = "invoice"
    id: Mapped[int] = mapped_column(primary_key=True)
    clerk_id: Mapped[int] = mapped_column(ForeignKey("employee.id"))
    corrected_id: Mapped[int] = mapped_column(ForeignKey("billing.invoice.id"))
    clerk: Mapped[Employee] = relationship()
    corrected: Mapped["Invoice"] = relationship(remote_side=[id])
    __table_args__ = {"schema": "billing"}
