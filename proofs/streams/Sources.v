(** Sources: [compressed] emits at coordinates that increase, [dense] at every index, [singleton] at one.

    A source stands at one of [n] places. What it is asked for, it finds: the first place from there on that the request
    needs. All three are strictly lawful, whatever way of looking they have. *)
Require Import Arith ZArith List Bool Lia.
Require Export Atl.streams.Stream.
Require Atl.streams.Search.
Import ListNotations.

Section Source.
Context {W : Type} (crd : nat -> nat) (n : nat) (child : nat -> W) (look : nat -> position -> nat).

(** Does the place come before what is needed? *)
Definition passed (p : position) (x : nat) : bool := 2 * crd x <? key p.

Definition source : stream W := {|
  state := nat;
  stands x := if x <? n then Some (crd x, true) else None;
  value := child;
  skip x p := if x <? n then look x p else x;
  left x := n - x
|}.

Hypothesis increases : forall x y, x < y -> y < n -> crd x < crd y.
Hypothesis finds : forall x p, x < n -> Search.first (passed p) x n (look x p).

Lemma source_stands x h : stands source x = Some h -> x < n /\ h = (crd x, true).
Proof. cbn [source stands]. destruct (Nat.ltb_spec x n); [|discriminate]. intros E. injection E as <-. auto. Qed.

Lemma source_skip x p : x < n -> skip source x p = look x p.
Proof. intros H. cbn [source skip]. rewrite (proj2 (Nat.ltb_lt _ _) H). reflexivity. Qed.

Lemma source_moves x p : x < n -> key (crd x, true) <= key p -> x < look x p.
Proof using finds.
  intros H K. destruct (finds x p H) as (L & _ & N). destruct (Nat.eq_dec (look x p) x) as [E|]; [|lia].
  rewrite E in N. specialize (N H). unfold passed in N. apply Nat.ltb_ge in N. unfold key in *. cbn [fst snd] in *. lia.
Qed.

Lemma source_progress : Progress source.
Proof using finds.
  intros x p. destruct (Nat.lt_ge_cases x n) as [H|H].
  - rewrite source_skip by exact H. pose proof (proj1 (finds x p H)). cbn [source left]. split; [lia|].
    intros h E K. apply source_stands in E as [_ ->]. pose proof (source_moves x p H K). lia.
  - cbn [source left skip stands]. rewrite (proj2 (Nat.ltb_ge _ _) H). split; [lia|discriminate].
Qed.

Lemma source_monotone : Monotone source.
Proof using increases finds.
  intros x p. destruct (Nat.lt_ge_cases x n) as [H|H].
  - rewrite source_skip by exact H. pose proof (proj1 (finds x p H)) as L. cbn [source stands]. rewrite (proj2 (Nat.ltb_lt _ _) H).
    destruct (Nat.ltb_spec (look x p) n) as [Q|Q]; [|exact I]. cbn. destruct (Nat.eq_dec (look x p) x) as [->|N]; [lia|].
    specialize (increases x (look x p)). lia.
  - cbn [source stands skip]. rewrite (proj2 (Nat.ltb_ge _ _) H), (proj2 (Nat.ltb_ge _ _) H). exact I.
Qed.

(** What is emitted: the child of each place with this coordinate. *)
Lemma source_emits x j : emits source x j = flat_map (fun y => if crd y =? j then [child y] else []) (seq x (n - x)).
Proof using increases finds.
  remember (n - x) as k eqn:K. revert x K. induction k as [k IH] using lt_wf_ind. intros x ->.
  pose proof source_progress as P. destruct (Nat.lt_ge_cases x n) as [H|H].
  - assert (E : stands source x = Some (crd x, true)) by (cbn [source stands]; rewrite (proj2 (Nat.ltb_lt _ _) H); reflexivity).
    rewrite (emits_step source P x _ j E), source_skip by exact H. pose proof (source_moves x (crd x, true) H (le_n _)) as M.
    destruct (finds x (crd x, true) H) as (L & Pa & _). rewrite (IH (n - look x (crd x, true)) ltac:(lia) _ eq_refl).
    (* The next place is the next one. *)
    assert (Q : look x (crd x, true) = S x).
    { destruct (Nat.eq_dec (look x (crd x, true)) (S x)) as [|D]; [assumption|]. specialize (Pa (S x) ltac:(lia)).
      unfold passed in Pa. apply Nat.ltb_lt in Pa. unfold key in Pa. cbn [fst snd] in Pa. specialize (increases x (S x)). lia. }
    rewrite Q. replace (n - x) with (S (n - S x)) by lia. cbn [seq flat_map fst snd andb]. reflexivity.
  - replace (n - x) with 0 by lia. apply (emits_ended source P). cbn [source stands]. rewrite (proj2 (Nat.ltb_ge _ _) H). reflexivity.
Qed.

Theorem source_lawful : strictly_lawful source.
Proof using increases finds.
  split; [split; [exact source_progress|exact source_monotone|]|].
  - intros x p j N. destruct (Nat.lt_ge_cases x n) as [H|H].
    + rewrite source_skip, !source_emits by exact H. destruct (finds x p H) as (L & Pa & _).
      replace (n - x) with ((look x p - x) + (n - look x p)) by lia. rewrite seq_app, flat_map_app.
      replace (x + (look x p - x)) with (look x p) by lia.
      replace (flat_map _ (seq x (look x p - x))) with (@nil W); [reflexivity|]. symmetry.
      assert (Z : forall y, In y (seq x (look x p - x)) -> (crd y =? j) = false).
      { intros y Y. apply in_seq in Y. specialize (Pa y ltac:(lia)). unfold passed in Pa. apply Nat.ltb_lt in Pa.
        unfold needs in N. apply Nat.eqb_neq. lia. }
      induction (seq x (look x p - x)) as [|y ys IH]; [reflexivity|]. cbn. rewrite (Z y) by (left; reflexivity).
      apply IH. intros z I. apply Z. right. exact I.
    + cbn [source skip]. rewrite (proj2 (Nat.ltb_ge _ _) H). reflexivity.
  - intros x p i h' E K E'. apply source_stands in E as [H E]. injection E as ->. rewrite source_skip in E' by exact H.
    apply source_stands in E' as [H' ->]. pose proof (source_moves x p H K). cbn. apply increases; assumption.
Qed.
End Source.

(** * Ways of looking *)

(** By steps that grow and halves, as loops do. *)
Definition compressed {W} (crd : nat -> nat) (n close : nat) (child : nat -> W) : stream W :=
  source crd n child (fun x p => Search.find (passed crd p) close x n).
Theorem compressed_lawful {W} crd n close (child : nat -> W) : (forall x y, x < y -> y < n -> crd x < crd y) ->
  strictly_lawful (compressed crd n close child).
Proof.
  intros I. apply source_lawful; [exact I|]. intros x p H. apply Search.find_right; [|lia].
  unfold passed. intros y z Y Z. rewrite !Nat.ltb_lt. intros L. destruct (Nat.eq_dec y z) as [->|N]; [exact L|]. specialize (I y z). lia.
Qed.

(** Every index has its place. *)
Definition dense {W} (n : nat) (child : nat -> W) : stream W :=
  source (fun x => x) n child (fun x p => Nat.min n (Nat.max x (fst p + if snd p then 1 else 0))).
Lemma dense_finds n x p : x < n ->
  Search.first (passed (fun x => x) p) x n (Nat.min n (Nat.max x (fst p + if snd p then 1 else 0))).
Proof.
  destruct p as [i s]. intros H. unfold Search.first, passed, key. cbn [fst snd].
  split; [lia|split; [|intros L; apply Nat.ltb_ge; destruct s; lia]]. intros q Q. apply Nat.ltb_lt. destruct s; lia.
Qed.
Theorem dense_lawful {W} n (child : nat -> W) : strictly_lawful (dense n child).
Proof. apply source_lawful; [auto|]. intros x p. apply dense_finds. Qed.

(** One place, or none. *)
Definition singleton {W} (c : option nat) (child : W) : stream W :=
  source (fun _ => match c with Some c => c | None => 0 end) (match c with Some _ => 1 | None => 0 end) (fun _ => child)
    (fun x p => if 2 * match c with Some c => c | None => 0 end <? key p then 1 else x).
Theorem singleton_lawful {W} c (child : W) : strictly_lawful (singleton c child).
Proof.
  destruct c as [c|]; apply source_lawful; [lia| |lia|lia]. intros x p H. unfold Search.first, passed.
  destruct (Nat.ltb_spec (2 * c) (key p)) as [L|L]; (split; [lia|split; intros; (reflexivity || lia)]).
Qed.
