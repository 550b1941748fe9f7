(** Certificates: the kernel's checker of side conditions, and that it is right.

    A certificate is a refutation. The hypotheses and the negated goal are taken apart into facts [0 <= p] and
    disjunctions, numbered in order of appearance; steps add facts, until one is a negative constant. Nothing is searched.
    [check] computes, and [certified] says that a goal with an accepted certificate holds. *)
Require Import ZArith List Bool Lia.
Require Export Atl.Index Atl.Polynomial.
Import ListNotations.
Open Scope Z_scope.

Inductive step :=
| Combine (parts : list (Z * list nat))
| Cut (fact : nat) (divisor : Z)
| Euclid (a d : term) (positive : nat)
| Minimum (a b : term)
| Maximum (a b : term)
| Instance (general : nat) (at_ : list term).

Inductive certificate :=
| Absurd (fact : nat)
| Then (s : step) (rest : certificate)
| Split (disjunction : nat) (left right : certificate)
| Case (p : predicate) (left right : certificate).

(** A hypothesis for all integers: for how many variables, and what. *)
Definition general := (nat * predicate)%type.

Record facts := { polys : list polynomial; pending : list (predicate * bool) }.

Definition fact (p : polynomial) (f : facts) := {| polys := polys f ++ [p]; pending := pending f |}.
Definition wait (p : predicate) (v : bool) (f : facts) := {| polys := polys f; pending := pending f ++ [(p, v)] |}.

(** [a + gap <= b]. *)
Definition order (a b : term) (gap : Z) : facts -> facts :=
  fact (minus (same depth) (minus (same depth) (of b) (of a)) (constant gap)).

Fixpoint assume (p : predicate) (v : bool) (f : facts) : facts :=
  match p, v with
  | True_, true | False_, false => f
  | True_, false | False_, true => fact (constant (-1)) f
  | Not q, _ => assume q (negb v) f
  | And p q, true | Or p q, false => assume q v (assume p v f)
  | And _ _, false | Or _ _, true | Cmp Eq _ _, false => wait p v f
  | Cmp Eq a b, true => order b a 0 (order a b 0 f)
  | Cmp Le a b, true => order a b 0 f
  | Cmp Lt a b, true => order a b 1 f
  | Cmp Le a b, false => order b a 1 f
  | Cmp Lt a b, false => order b a 0 f
  end.

Definition side (left : bool) (d : predicate * bool) (f : facts) : option facts :=
  match d with
  | (And p q, false) | (Or p q, true) => Some (assume (if left then p else q) (snd d) f)
  | (Cmp Eq a b, false) => Some (if left then order a b 1 f else order b a 1 f)
  | _ => None
  end.

Fixpoint product (ps : list polynomial) (ks : list nat) : option polynomial :=
  match ks with
  | [] => Some (constant 1)
  | k :: ks =>
      match nth_error ps k, product ps ks with
      | Some p, Some q => Some (times (same depth) p q)
      | _, _ => None
      end
  end.

Fixpoint combination (ps : list polynomial) (parts : list (Z * list nat)) : option polynomial :=
  match parts with
  | [] => Some []
  | (z, ks) :: parts =>
      match product ps ks, combination ps parts with
      | Some p, Some q => if 0 <=? z then Some (add_scaled (same depth) q z p) else None
      | _, _ => None
      end
  end.

Definition is_zero (p : polynomial) : bool := match p with [] => true | _ => false end.

(** The three facts about [m], which is [a] or [b], whichever is [op]. *)
Definition extreme (le : term -> term -> predicate) (m a b : term) (f : facts) : facts :=
  assume (Or (le a m) (le b m)) true (assume (le m b) true (assume (le m a) true f)).

Definition derive (gs : list general) (s : step) (f : facts) : option facts :=
  match s with
  | Combine parts => option_map (fun p => fact p f) (combination (polys f) parts)
  | Cut k d =>
      match nth_error (polys f) k with
      | Some p => if (0 <? d) && Nat.leb (constants p) 1 then option_map (fun q => fact q f) (cut d p) else None
      | None => None
      end
  | Euclid a d k =>
      match nth_error (polys f) k with
      | Some p =>
          if is_zero (minus (same depth) p (minus (same depth) (of d) (constant 1)))
          then
            let below := minus (same depth) (of a) (times (same depth) (of d) (of (Op Div a d))) in
            let above := minus (same depth) (minus (same depth) (of d) (constant 1)) below in
            Some (fact above (fact below f))
          else None
      | None => None
      end
  | Minimum a b => Some (extreme (Cmp Le) (Op Min a b) a b f)
  | Maximum a b => Some (extreme (fun x y => Cmp Le y x) (Op Max a b) a b f)
  | Instance k ts =>
      match nth_error gs k with
      | Some (n, p) => if Nat.eqb (length ts) n then Some (assume (instantiate_predicate ts p) true f) else None
      | None => None
      end
  end.

Fixpoint refute (gs : list general) (c : certificate) (f : facts) : bool :=
  match c with
  | Absurd k =>
      match nth_error (polys f) k with
      | Some p => match as_constant p with Some z => z <? 0 | None => false end
      | None => false
      end
  | Then s c => match derive gs s f with Some f => refute gs c f | None => false end
  | Split k l r =>
      match nth_error (pending f) k with
      | Some d =>
          match side true d f, side false d f with
          | Some a, Some b => refute gs l a && refute gs r b
          | _, _ => false
          end
      | None => false
      end
  | Case p l r => refute gs l (assume p true f) && refute gs r (assume p false f)
  end.

Definition check (hs : list predicate) (gs : list general) (goal : predicate) (c : certificate) : bool :=
  refute gs c (assume goal false (fold_left (fun f p => assume p true f) hs {| polys := []; pending := [] |})).

(** * Why it is right *)
Local Opaque same.

Lemma some_eq {A} (a b : A) : Some a = Some b -> b = a.
Proof. congruence. Qed.

Section Soundness.
Variable c : context.
Notation pv := (polynomial_value c []).
Notation val := (value c []).
Let sound := same_sound c [] depth.

(** All that [f] says is true. *)
Definition true_facts (f : facts) : Prop :=
  Forall (fun p => 0 <= pv p) (polys f) /\ Forall (fun d => holds c [] (fst d) = snd d) (pending f).

Lemma fact_true p f : 0 <= pv p -> true_facts f -> true_facts (fact p f).
Proof. intros H [P Q]. split; [apply Forall_app; auto | exact Q]. Qed.

Lemma wait_true p v f : holds c [] p = v -> true_facts f -> true_facts (wait p v f).
Proof. intros H [P Q]. split; [exact P | apply Forall_app; auto]. Qed.

Lemma order_true a b gap f : val a + gap <= val b -> true_facts f -> true_facts (order a b gap f).
Proof.
  intros H. apply fact_true. rewrite !minus_value, constant_value by exact sound.
  unfold of. rewrite !of_term_value by exact sound. lia.
Qed.

Lemma assume_true p v f : holds c [] p = v -> true_facts f -> true_facts (assume p v f).
Proof.
  revert v f. induction p as [| |r a b|p IH|p IHp q IHq|p IHp q IHq]; intros v f H F; cbn in H.
  - subst v. exact F.
  - subst v. exact F.
  - destruct r, v; cbn in H |- *; rewrite ?Z.eqb_eq, ?Z.leb_le, ?Z.leb_gt, ?Z.ltb_lt, ?Z.ltb_ge in H;
      try (apply wait_true; [exact H | exact F]);
      repeat apply order_true; try exact F; lia.
  - cbn. apply IH; [|exact F]. rewrite <- H. symmetry. apply negb_involutive.
  - destruct v; cbn; [|apply wait_true; assumption]. apply andb_true_iff in H. apply IHq, IHp; tauto.
  - destruct v; cbn; [apply wait_true; assumption|]. apply orb_false_iff in H. apply IHq, IHp; tauto.
Qed.

Lemma product_true ps ks p : Forall (fun p => 0 <= pv p) ps -> product ps ks = Some p -> 0 <= pv p.
Proof.
  intros P. revert p. induction ks as [|k ks IH]; cbn [product]; intros p.
  - intros [= <-]. cbn. lia.
  - destruct (nth_error ps k) as [q|] eqn:K; [|easy]. destruct (product ps ks) as [r|]; [|easy]. intros [= <-].
    rewrite times_value by exact sound. apply Z.mul_nonneg_nonneg; [|apply IH; reflexivity].
    rewrite Forall_forall in P. eapply P, nth_error_In, K.
Qed.

Lemma combination_true ps parts p :
  Forall (fun p => 0 <= pv p) ps -> combination ps parts = Some p -> 0 <= pv p.
Proof.
  intros P. revert p. induction parts as [|[z ks] parts IH]; cbn [combination]; intros p.
  - intros [= <-]. cbn. lia.
  - destruct (product ps ks) as [q|] eqn:K; [|easy]. destruct (combination ps parts) as [r|]; [|easy].
    destruct (Z.leb_spec 0 z); [|easy]. intros [= <-]. rewrite add_scaled_value by exact sound.
    pose proof (product_true _ _ _ P K). pose proof (IH r eq_refl). nia.
Qed.

(** What a general hypothesis says. *)
Definition general_true (g : general) : Prop := forall zs, length zs = fst g -> holds c zs (snd g) = true.

Lemma derive_true gs s f f' : Forall general_true gs -> true_facts f -> derive gs s f = Some f' -> true_facts f'.
Proof.
  intros G F. pose proof F as [P Q]. destruct s as [parts|k d|a d k|a b|a b|k ts]; cbn [derive].
  - destruct combination as [p|] eqn:K; [|easy]. intros [= <-].
    apply fact_true; [|exact F]. exact (combination_true _ _ _ P K).
  - destruct (nth_error (polys f) k) as [p|] eqn:K; [|easy].
    destruct ((0 <? d) && Nat.leb (constants p) 1) eqn:D; [|easy]. apply andb_true_iff in D.
    rewrite Z.ltb_lt, Nat.leb_le in D. destruct (cut d p) as [q|] eqn:E; [|easy]. intros [= <-].
    apply fact_true; [|exact F]. apply (cut_value c [] d p q); try tauto.
    rewrite Forall_forall in P. eapply P, nth_error_In, K.
  - destruct (nth_error (polys f) k) as [p|] eqn:K; [|easy]. destruct is_zero eqn:D; [|easy]. intros ->%some_eq.
    assert (L : 0 < val d).
    { apply nth_error_In in K. rewrite Forall_forall in P. apply P in K.
      pose proof (minus_value c [] _ sound p (minus (same depth) (of d) (constant 1))) as M.
      destruct (minus (same depth) p _); [|easy]. rewrite minus_value, constant_value in M by exact sound.
      unfold of in M. rewrite of_term_value in M by exact sound. cbn in M. lia. }
    set (below := minus (same depth) (of a) _).
    assert (B : pv below = val a mod val d).
    { unfold below.
      rewrite minus_value, times_value by exact sound. unfold of.
      rewrite !of_term_value by exact sound. cbn [value apply]. rewrite Z.mod_eq by lia. reflexivity. }
    clearbody below. pose proof (Z.mod_pos_bound (val a) (val d) L).
    apply fact_true; [|apply fact_true; [lia | exact F]].
    rewrite !(minus_value c [] _ sound), constant_value, B.
    unfold of. rewrite of_term_value by exact sound. lia.
  - intros [= <-]. unfold extreme. repeat apply assume_true; try exact F; cbn;
      rewrite ?orb_true_iff, ?Z.leb_le; lia.
  - intros [= <-]. unfold extreme. repeat apply assume_true; try exact F; cbn;
      rewrite ?orb_true_iff, ?Z.leb_le; lia.
  - destruct (nth_error gs k) as [[n p]|] eqn:K; [|easy]. destruct (Nat.eqb_spec (length ts) n) as [N|]; [|easy].
    intros [= <-]. apply assume_true; [|exact F]. rewrite holds_instantiate.
    apply nth_error_In in K. rewrite Forall_forall in G. apply (G _ K). cbn. rewrite map_length. exact N.
Qed.

Lemma side_true d f : holds c [] (fst d) = snd d -> true_facts f ->
  forall l r, side true d f = Some l -> side false d f = Some r -> true_facts l \/ true_facts r.
Proof.
  destruct d as [[| |[] a b|p|p q|p q] []]; cbn [side fst snd]; intros H F l r; try easy;
    intros [= <-] [= <-]; cbn in H.
  - apply Z.eqb_neq in H. destruct (Z_lt_le_dec (val a) (val b));
      [left | right]; (apply order_true; [lia | exact F]).
  - apply andb_false_iff in H. destruct H; [left | right]; apply assume_true; assumption.
  - apply orb_true_iff in H. destruct H; [left | right]; apply assume_true; assumption.
Qed.

Lemma refute_false gs k f : Forall general_true gs -> true_facts f -> refute gs k f = true -> False.
Proof.
  intros G. revert f. induction k as [n|s k IH|n l IHl r IHr|p l IHl r IHr]; cbn [refute]; intros f F H.
  - destruct F as [P _]. destruct (nth_error (polys f) n) as [p|] eqn:K; [|easy].
    destruct (as_constant p) as [z|] eqn:E; [|easy]. apply as_constant_value with (c := c) (bound := []) in E.
    apply nth_error_In in K. rewrite Forall_forall in P. apply P in K. apply Z.ltb_lt in H. lia.
  - destruct (derive gs s f) as [f'|] eqn:D; [|easy]. apply (IH f'); [|exact H]. exact (derive_true _ _ _ _ G F D).
  - destruct (nth_error (pending f) n) as [d|] eqn:K; [|easy].
    destruct (side true d f) as [a|] eqn:A; [|easy]. destruct (side false d f) as [b|] eqn:B; [|easy].
    apply andb_true_iff in H. destruct H as [L R]. apply nth_error_In in K.
    assert (D : holds c [] (fst d) = snd d) by (destruct F as [_ Q]; rewrite Forall_forall in Q; auto).
    destruct (side_true d f D F a b A B); eauto.
  - apply andb_true_iff in H. destruct H as [L R].
    destruct (holds c [] p) eqn:E; [apply (IHl (assume p true f)) | apply (IHr (assume p false f))];
      try assumption; apply assume_true; assumption.
Qed.
End Soundness.

(** Hypotheses as one conjunction, for the proofs that `atl` prints. *)
Fixpoint all_hold (c : context) (hs : list predicate) : Prop :=
  match hs with [] => True | h :: hs => holds c [] h = true /\ all_hold c hs end.
Fixpoint all_general (c : context) (gs : list general) : Prop :=
  match gs with [] => True | g :: gs => general_true c g /\ all_general c gs end.

Theorem certified c hs gs goal k :
  all_hold c hs -> all_general c gs -> check hs gs goal k = true -> holds c [] goal = true.
Proof.
  intros H G K. destruct (holds c [] goal) eqn:E; [reflexivity|exfalso].
  assert (GT : Forall (general_true c) gs) by (clear K; induction gs; constructor; cbn in G; tauto).
  apply (refute_false c gs k _ GT) in K; [exact K|]. apply assume_true; [exact E|].
  assert (T : true_facts c {| polys := []; pending := [] |}) by (split; constructor).
  clear K E GT G. revert T. generalize {| polys := []; pending := [] |}.
  induction hs as [|h hs IH]; cbn; intros f T; [exact T|]. cbn in H. apply IH; [tauto|].
  apply assume_true; tauto.
Qed.
