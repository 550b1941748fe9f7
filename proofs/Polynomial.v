(** Polynomials: the normal form of index terms, as the kernel has it.

    A polynomial is a list of monomials, a monomial a coefficient and a list of atoms. Atoms are index terms that no
    polynomial operation takes apart. Nothing is sorted: monomials are found again by search, which is slower on large
    polynomials and has short proofs. *)
Require Import ZArith List Bool Lia.
Require Import Atl.Index.
Import ListNotations.
Open Scope Z_scope.

Definition monomial := list term.
Definition polynomial := list (Z * monomial).

Definition constant (z : Z) : polynomial := if z =? 0 then [] else [(z, [])].
Definition atom (t : term) : polynomial := [(1, [t])].

Definition as_constant (p : polynomial) : option Z :=
  match p with [] => Some 0 | [(z, [])] => Some z | _ => None end.

Section Operations.
(** When two atoms are the same. *)
Variable same : term -> term -> bool.

Fixpoint remove (t : term) (m : monomial) : option monomial :=
  match m with
  | [] => None
  | u :: m => if same t u then Some m else option_map (cons u) (remove t m)
  end.

Fixpoint same_monomial (m n : monomial) : bool :=
  match m with
  | [] => match n with [] => true | _ => false end
  | t :: m => match remove t n with Some n => same_monomial m n | None => false end
  end.

Fixpoint insert (z : Z) (m : monomial) (p : polynomial) : polynomial :=
  match p with
  | [] => if z =? 0 then [] else [(z, m)]
  | (y, n) :: p =>
      if same_monomial m n then (if z + y =? 0 then p else (z + y, n) :: p) else (y, n) :: insert z m p
  end.

(** [p + z * q]. *)
Definition add_scaled (p : polynomial) (z : Z) (q : polynomial) : polynomial :=
  fold_right (fun t p => insert (z * fst t) (snd t) p) p q.
Fixpoint times_monomial (z : Z) (m : monomial) (q sum : polynomial) : polynomial :=
  match q with [] => sum | (y, n) :: q => insert (z * y) (m ++ n) (times_monomial z m q sum) end.
Fixpoint times (p q : polynomial) : polynomial :=
  match p with [] => [] | (z, m) :: p => times_monomial z m q (times p q) end.
Definition minus p q := add_scaled p (-1) q.

Definition quotient (a b : term) (p q : polynomial) : polynomial :=
  match as_constant p, as_constant q with
  | Some x, Some y => constant (x / y)
  | _, Some 1 => p
  | _, _ => atom (Op Div a b)
  end.

Definition extremum (op : operation) (a b : term) (p q : polynomial) : polynomial :=
  match minus p q with
  | [] => p
  | _ => match as_constant p, as_constant q with Some x, Some y => constant (apply op x y) | _, _ => atom (Op op a b) end
  end.

Fixpoint of_term (t : term) : polynomial :=
  match t with
  | Lit z => constant z
  | Op op a b =>
      let p := of_term a in
      let q := of_term b in
      match op with
      | Add => add_scaled p 1 q
      | Sub => minus p q
      | Mul => times p q
      | Div => quotient a b p q
      | Mod => minus p (times q (quotient a b p q))
      | Min | Max => extremum op a b p q
      end
  | _ => atom t
  end.

Definition equal (a b : term) : bool := match minus (of_term a) (of_term b) with [] => true | _ => false end.

(** From [0 <= p]: every coefficient but the constant's is a multiple of [d]; divide, and round the constant down. *)
Fixpoint cut (d : Z) (p : polynomial) : option polynomial :=
  match p with
  | [] => Some []
  | (z, m) :: p =>
      match cut d p with
      | None => None
      | Some q =>
          match m with
          | [] => Some ((z / d, []) :: q)
          | _ => if z mod d =? 0 then Some ((z / d, m) :: q) else None
          end
      end
  end.
(** One constant at most. *)
Definition constants (p : polynomial) : nat := length (filter (fun t => match snd t with [] => true | _ => false end) p).
End Operations.

(** Atoms are the same if what they are made of is equal; the number bounds how deep that is looked for. *)
Fixpoint same_list (f : term -> term -> bool) (ts us : list term) : bool :=
  match ts, us with
  | [], [] => true
  | t :: ts, u :: us => f t u && same_list f ts us
  | _, _ => false
  end.

Fixpoint same (depth : nat) (t u : term) : bool :=
  match depth with
  | O => false
  | S depth =>
      match t, u with
      | Free l, Free k => Nat.eqb l k
      | Bound l, Bound k => Nat.eqb l k
      | Op Div a b, Op Div c d | Op Min a b, Op Min c d | Op Max a b, Op Max c d =>
          equal (same depth) a c && equal (same depth) b d
      | Read l ts, Read k us => Nat.eqb l k && same_list (equal (same depth)) ts us
      | _, _ => false
      end
  end.

(** * What they are worth *)
Section Soundness.
Variables (c : context) (bound : list Z).
Notation val := (value c bound).

Fixpoint monomial_value (m : monomial) : Z := match m with [] => 1 | t :: m => val t * monomial_value m end.
Fixpoint polynomial_value (p : polynomial) : Z :=
  match p with [] => 0 | (z, m) :: p => z * monomial_value m + polynomial_value p end.
Notation mv := monomial_value.
Notation pv := polynomial_value.

Variable same : term -> term -> bool.
Hypothesis same_sound : forall t u, same t u = true -> val t = val u.

Lemma constant_value z : pv (constant z) = z.
Proof. unfold constant. destruct (Z.eqb_spec z 0); cbn; lia. Qed.

Lemma atom_value t : pv (atom t) = val t.
Proof. unfold atom. cbn [polynomial_value monomial_value]. ring. Qed.

Lemma as_constant_value p z : as_constant p = Some z -> pv p = z.
Proof. destruct p as [|[y [|]] [|]]; cbn; intros [= <-]; lia. Qed.

Lemma remove_value t m n : remove same t m = Some n -> mv m = val t * mv n.
Proof using same_sound.
  revert n. induction m as [|u m IH]; cbn; intros n; [easy|].
  destruct (same t u) eqn:E; [intros [= <-]; rewrite (same_sound t u E); reflexivity|].
  destruct (remove same t m) as [r|]; cbn; [|easy]. intros [= <-].
  rewrite (IH r eq_refl). cbn. ring.
Qed.

Lemma same_monomial_value m n : same_monomial same m n = true -> mv m = mv n.
Proof using same_sound.
  revert n. induction m as [|t m IH]; cbn; intros n; [destruct n; easy|].
  destruct (remove same t n) as [r|] eqn:E; [|easy]. intros H.
  rewrite (remove_value _ _ _ E), (IH r H). reflexivity.
Qed.

Lemma insert_value z m p : pv (insert same z m p) = z * mv m + pv p.
Proof using same_sound.
  induction p as [|[y n] p IH]; cbn [insert].
  - destruct (Z.eqb_spec z 0) as [->|]; cbn; lia.
  - destruct (same_monomial same m n) eqn:E.
    + apply same_monomial_value in E. rewrite E.
      destruct (Z.eqb_spec (z + y) 0) as [H|H]; cbn [polynomial_value]; [|ring].
      replace y with (- z) by lia. ring.
    + cbn [polynomial_value]. rewrite IH. ring.
Qed.

Lemma add_scaled_value p z q : pv (add_scaled same p z q) = pv p + z * pv q.
Proof using same_sound.
  induction q as [|[y n] q IH]; [cbn; ring|]. cbn [polynomial_value].
  unfold add_scaled in *. cbn [fold_right fst snd]. rewrite insert_value, IH. ring.
Qed.

Lemma minus_value p q : pv (minus same p q) = pv p - pv q.
Proof using same_sound. unfold minus. rewrite add_scaled_value. ring. Qed.

Lemma app_value m n : mv (m ++ n) = mv m * mv n.
Proof. induction m as [|t m IH]; cbn [app monomial_value]; [ring|]. rewrite IH. ring. Qed.

Lemma times_monomial_value z m q sum : pv (times_monomial same z m q sum) = z * mv m * pv q + pv sum.
Proof using same_sound.
  induction q as [|[y n] q IH]; cbn [times_monomial polynomial_value]; [ring|].
  rewrite insert_value, IH, app_value. ring.
Qed.

Lemma times_value p q : pv (times same p q) = pv p * pv q.
Proof using same_sound.
  induction p as [|[z m] p IH]; cbn [times polynomial_value]; [ring|].
  rewrite times_monomial_value, IH. ring.
Qed.

Lemma quotient_value a b p q : pv p = val a -> pv q = val b -> pv (quotient a b p q) = val a / val b.
Proof.
  intros P Q. unfold quotient. destruct (as_constant q) as [y|] eqn:Y.
  - apply as_constant_value in Y. destruct (as_constant p) as [x|] eqn:X.
    + apply as_constant_value in X. rewrite constant_value. congruence.
    + destruct y as [|[| |]|]; rewrite ?atom_value; try reflexivity.
      replace (val b) with 1 by congruence. rewrite Z.div_1_r. exact P.
  - destruct (as_constant p); apply atom_value.
Qed.

Lemma extremum_value op a b p q : op = Min \/ op = Max -> pv p = val a -> pv q = val b ->
  pv (extremum same op a b p q) = apply op (val a) (val b).
Proof using same_sound.
  intros O P Q. unfold extremum. pose proof (minus_value p q) as D.
  destruct (minus same p q) as [|t d].
  - cbn in D. replace (val b) with (val a) by lia. destruct O; subst op; cbn; lia.
  - clear D. destruct (as_constant p) as [x|] eqn:X; [|apply atom_value].
    destruct (as_constant q) as [y|] eqn:Y; [|apply atom_value].
    apply as_constant_value in X, Y. rewrite constant_value. congruence.
Qed.

Lemma of_term_value t : pv (of_term same t) = val t.
Proof using same_sound.
  induction t as [z|l|k|op a IHa b IHb|l ts]; cbn [of_term]; rewrite ?atom_value, ?constant_value; try reflexivity.
  destruct op; rewrite ?minus_value, ?add_scaled_value, ?times_value, ?quotient_value, ?extremum_value by auto;
    cbn [value apply]; rewrite ?IHa, ?IHb; try ring.
  pose proof (Z_div_mod_eq_full (val a) (val b)). lia.
Qed.

Lemma equal_value a b : equal same a b = true -> val a = val b.
Proof using same_sound.
  unfold equal. pose proof (minus_value (of_term same a) (of_term same b)) as D. rewrite !of_term_value in D.
  destruct minus; [|easy]. cbn in D. lia.
Qed.

Lemma cut_value d p q : 0 < d -> cut d p = Some q -> (constants p <= 1)%nat -> 0 <= pv p -> 0 <= pv q.
Proof.
  intros D E K H.
  (* Without its constant, p is d times q without its constant. *)
  assert (R : exists r, pv p = d * pv q + r /\ (constants p = 0%nat -> r = 0) /\ ((constants p <= 1)%nat -> 0 <= r < d)).
  { clear K H. revert q E. induction p as [|[z m] p IH]; cbn [cut]; intros q E.
    - injection E as <-. exists 0. cbn. lia.
    - destruct (cut d p) as [q'|]; [|easy]. destruct (IH q' eq_refl) as (r & R & Z0 & Z1).
      destruct m as [|t m].
      + injection E as <-. unfold constants in *. cbn in *.
        pose proof (Z.div_mod z d ltac:(lia)). pose proof (Z.mod_pos_bound z d D).
        exists (z mod d + r). split; [lia|]. split; [lia|]. intros L. rewrite Z0 by lia. lia.
      + destruct (Z.eqb_spec (z mod d) 0) as [M|]; [|easy]. injection E as <-.
        unfold constants in *. cbn in *. pose proof (Z.div_mod z d ltac:(lia)) as DM.
        exists r. split; [|auto]. rewrite R. rewrite DM at 1. rewrite M. ring. }
  destruct R as (r & R & _ & B). specialize (B K). nia.
Qed.
End Soundness.

Lemma same_sound c bound depth t u : same depth t u = true -> value c bound t = value c bound u.
Proof.
  revert t u. induction depth as [|depth IH]; cbn [same]; [easy|]. intros t u.
  pose proof (equal_value c bound (same depth) IH) as E.
  destruct t as [|l|l|[] a b|l ts], u as [|k|k|[] d e|k us]; try easy.
  - intros ->%Nat.eqb_eq. reflexivity.
  - intros ->%Nat.eqb_eq. reflexivity.
  - intros [H K]%andb_true_iff. cbn. rewrite (E _ _ H), (E _ _ K). reflexivity.
  - intros [H K]%andb_true_iff. cbn. rewrite (E _ _ H), (E _ _ K). reflexivity.
  - intros [H K]%andb_true_iff. cbn. rewrite (E _ _ H), (E _ _ K). reflexivity.
  - intros [->%Nat.eqb_eq H]%andb_true_iff. cbn. f_equal. revert us H.
    induction ts as [|t ts IHts]; destruct us as [|u us]; cbn; try easy.
    intros [H K]%andb_true_iff. rewrite (E _ _ H), (IHts _ K). reflexivity.
Qed.

(** How deep atoms may nest: deeper than any index term of a program. *)
Definition depth := 64%nat.
Definition of (t : term) : polynomial := of_term (same depth) t.

(** Two index terms with one polynomial are equal. This proves what simplification did. *)
Lemma by_polynomial c a b : equal (same depth) a b = true -> value c [] a = value c [] b.
Proof. apply equal_value, same_sound. Qed.
