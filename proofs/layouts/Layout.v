(** Layouts: modes of a size and a stride, the first one fastest. What they mean as functions of an index; [coalesce], and
    layouts one after the other. *)
Require Import Arith ZArith List Bool Lia.
Import ListNotations.
Local Open Scope nat_scope.

Definition layout : Type := list (nat * Z).

Fixpoint size (L : layout) : nat := match L with [] => 1 | (s, _) :: L => s * size L end.
Definition positive (L : layout) : Prop := Forall (fun m => 0 < fst m) L.

(** The last digit is not reduced, so that a layout means something beyond its size too. *)
Fixpoint value (L : layout) (i : nat) : Z :=
  match L with
  | [] => 0
  | [(_, d)] => Z.of_nat i * d
  | (s, d) :: L => Z.of_nat (i mod s) * d + value L (i / s)
  end%Z.

(** All digits reduced. *)
Fixpoint wrapped (L : layout) (i : nat) : Z :=
  match L with [] => 0 | (s, d) :: L => Z.of_nat (i mod s) * d + wrapped L (i / s) end%Z.

Lemma div_below i s n : 0 < s -> i < s * n -> i / s < n.
Proof. intros S H. apply Nat.div_lt_upper_bound; lia. Qed.

Lemma value_cons s d m L i : value ((s, d) :: m :: L) i = (Z.of_nat (i mod s) * d + value (m :: L) (i / s))%Z.
Proof. destruct m. reflexivity. Qed.

(** Inside its size, that is the same. *)
Lemma value_wrapped L i : positive L -> i < size L -> value L i = wrapped L i.
Proof.
  intros P. revert i. induction P as [|[s d] L S P IH]; intros i I; [reflexivity|]. cbn in S.
  destruct L as [|m L].
  - cbn in *. rewrite Nat.mod_small by lia. lia.
  - rewrite value_cons. cbn [wrapped]. rewrite (IH (i / s)); [reflexivity|]. apply div_below; [exact S|exact I].
Qed.

Lemma wrapped_zero L : positive L -> wrapped L 0 = 0%Z.
Proof. induction 1 as [|[s d] L S P IH]; [reflexivity|]. cbn in *. rewrite Nat.mod_0_l, Nat.div_0_l, IH by lia. lia. Qed.

Lemma value_zero L : positive L -> value L 0 = 0%Z.
Proof. induction 1 as [|[s d] [|m L] S P IH]; [reflexivity..|]. rewrite value_cons, Nat.mod_0_l, Nat.div_0_l, IH by (cbn in S; lia). lia. Qed.

Lemma size_positive L : positive L -> 0 < size L.
Proof. induction 1 as [|[s d] L S P IH]; cbn in *; nia. Qed.

(** * One after the other *)
Theorem concatenation L M i : positive L -> wrapped (L ++ M) i = (wrapped L i + wrapped M (i / size L))%Z.
Proof.
  intros P. revert i. induction P as [|[s d] L S P IH]; intros i.
  - cbn [app wrapped size]. rewrite Nat.div_1_r. reflexivity.
  - cbn [app wrapped size fst] in *. pose proof (size_positive L P). rewrite IH, Nat.div_div by lia. lia.
Qed.

Lemma size_app L M : size (L ++ M) = size L * size M.
Proof. induction L as [|[s d] L IH]; cbn; [lia|]. rewrite IH. lia. Qed.

(** * Coalesce: modes of size 1 are dropped, and neighbours that go on where the first one ends are one *)
Definition push (m : nat * Z) (L : layout) : layout :=
  let (s, d) := m in
  if s =? 1 then L
  else match L with
       | (t, e) :: L' => if (e =? Z.of_nat s * d)%Z then (s * t, d) :: L' else m :: L
       | [] => [m]
       end.
Definition coalesce (L : layout) : layout := fold_right push [] L.

Lemma push_right s d L : 0 < s -> positive L -> positive (push (s, d) L) /\ size (push (s, d) L) = s * size L /\
  forall i, wrapped (push (s, d) L) i = wrapped ((s, d) :: L) i.
Proof.
  intros S P. unfold push. destruct (Nat.eqb_spec s 1) as [->|N].
  - split; [exact P|split; [lia|]]. intros i. cbn [wrapped]. rewrite Nat.mod_1_r, Nat.div_1_r. lia.
  - destruct P as [|[t e] L T P].
    + split; [repeat constructor; exact S|split; [reflexivity|reflexivity]].
    + cbn in T. destruct (Z.eqb_spec e (Z.of_nat s * d)) as [->|_].
      * split; [constructor; [cbn; nia|exact P]|split; [cbn; lia|]]. intros i. cbn [wrapped].
        rewrite Nat.mod_mul_r, <- Nat.div_div by lia. rewrite Nat2Z.inj_add, Nat2Z.inj_mul. lia.
      * split; [repeat constructor; auto|split; reflexivity].
Qed.

Theorem coalesce_right L : positive L -> positive (coalesce L) /\ size (coalesce L) = size L /\
  forall i, wrapped (coalesce L) i = wrapped L i.
Proof.
  induction 1 as [|[s d] L S P (Pc & Sc & Vc)]; [repeat constructor|]. cbn [fst] in S.
  destruct (push_right s d (coalesce L) S Pc) as (Pp & Sp & Vp). change (coalesce ((s, d) :: L)) with (push (s, d) (coalesce L)).
  split; [exact Pp|split; [cbn [size]; rewrite Sp, Sc; reflexivity|]]. intros i. rewrite Vp. cbn [wrapped]. rewrite Vc. reflexivity.
Qed.

Corollary coalesce_value L i : positive L -> i < size L -> value (coalesce L) i = value L i.
Proof.
  intros P I. destruct (coalesce_right L P) as (Pc & Sc & Vc). rewrite !value_wrapped, Vc by (rewrite ?Sc; assumption). reflexivity.
Qed.

(** Beyond its size they differ. *)
Example coalesce_beyond : value [(4, 1%Z); (1, 0%Z)] 5 = 1%Z /\ value (coalesce [(4, 1%Z); (1, 0%Z)]) 5 = 5%Z.
Proof. split; reflexivity. Qed.
