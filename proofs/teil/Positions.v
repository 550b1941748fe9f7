(** Positions in lists, counted from 1: entries, insertion, removal, exchange; and which indices are inside of a type.

    A position that a list does not have gives [None], so that what uses it may say what happens then. Types and lists of
    indices are both lists, and the same functions work on both: that is why indices stay inside of types. *)
Require Import Arith List Lia.
Import ListNotations.

Section Positions.
Context {T : Type}.
Implicit Types (l : list T) (x y : T) (i j q : nat).

(** What stands at a position. *)
Fixpoint entry i l : option T :=
  match i, l with
  | 0, _ | _, [] => None
  | 1, x :: _ => Some x
  | S i, _ :: l => entry i l
  end.

(** The list in which [x] stands at position [i], and what was there and after it, one position later. *)
Fixpoint insert i x l : option (list T) :=
  match i, l with
  | 0, _ => None
  | 1, _ => Some (x :: l)
  | S _, [] => None
  | S i, y :: l => option_map (cons y) (insert i x l)
  end.

(** The list without what stands at a position. *)
Fixpoint without i l : option (list T) :=
  match i, l with
  | 0, _ | _, [] => None
  | 1, _ :: l => Some l
  | S i, y :: l => option_map (cons y) (without i l)
  end.

(** The list with [x] in the place of what stands at a position. *)
Fixpoint replace i x l : option (list T) :=
  match i, l with
  | 0, _ | _, [] => None
  | 1, _ :: l => Some (x :: l)
  | S i, y :: l => option_map (cons y) (replace i x l)
  end.

(** The list with what stands at two positions exchanged. *)
Definition exchange i j l : option (list T) :=
  match entry i l, entry j l with
  | Some x, Some y => match replace i y l with Some l => replace j x l | None => None end
  | _, _ => None
  end.

(** * When they give something, and what *)
Lemma entry_is i l x : entry i l = Some x <-> exists a b, l = a ++ x :: b /\ i = S (length a).
Proof.
  split.
  - revert l. induction i as [|i IH]; intros [|y l] H; try easy; [destruct i; discriminate|]. destruct i as [|i].
    + injection H as ->. exists [], l. auto.
    + destruct (IH l H) as (a & b & -> & E). exists (y :: a), b. cbn. auto.
  - intros (a & b & -> & ->). induction a as [|y a IH]; [reflexivity|exact IH].
Qed.

Lemma without_is i l l' : without i l = Some l' <-> exists x a b, l = a ++ x :: b /\ l' = a ++ b /\ i = S (length a).
Proof.
  split.
  - revert l l'. induction i as [|i IH]; intros [|y l] l' H; try easy; [destruct i; discriminate|]. destruct i as [|i].
    + injection H as ->. exists y, [], l'. auto.
    + change (option_map (cons y) (without (S i) l) = Some l') in H.
      destruct (without (S i) l) as [m|] eqn:E; [|discriminate]. injection H as <-.
      destruct (IH l m E) as (x & a & b & -> & -> & L). exists x, (y :: a), b. cbn. auto.
  - intros (x & a & b & -> & -> & ->). induction a as [|y a IH]; [reflexivity|].
    change (option_map (cons y) (without (S (length a)) (a ++ x :: b)) = Some (y :: a ++ b)). rewrite IH. reflexivity.
Qed.

Lemma insert_is i x l l' : insert i x l = Some l' <-> exists a b, l = a ++ b /\ l' = a ++ x :: b /\ i = S (length a).
Proof.
  split.
  - revert l l'. induction i as [|i IH]; intros l l' H; [easy|]. destruct i as [|i].
    + injection H as <-. exists [], l. auto.
    + destruct l as [|y l]; [discriminate|]. change (option_map (cons y) (insert (S i) x l) = Some l') in H.
      destruct (insert (S i) x l) as [m|] eqn:E; [|discriminate]. injection H as <-.
      destruct (IH l m E) as (a & b & -> & -> & L). exists (y :: a), b. cbn. auto.
  - intros (a & b & -> & -> & ->). induction a as [|y a IH]; [reflexivity|].
    change (option_map (cons y) (insert (S (length a)) x (a ++ b)) = Some (y :: a ++ x :: b)). rewrite IH. reflexivity.
Qed.

Lemma replace_is i x l l' :
  replace i x l = Some l' <-> exists y a b, l = a ++ y :: b /\ l' = a ++ x :: b /\ i = S (length a).
Proof.
  split.
  - revert l l'. induction i as [|i IH]; intros [|y l] l' H; try easy; [destruct i; discriminate|]. destruct i as [|i].
    + injection H as <-. exists y, [], l. auto.
    + change (option_map (cons y) (replace (S i) x l) = Some l') in H.
      destruct (replace (S i) x l) as [m|] eqn:E; [|discriminate]. injection H as <-.
      destruct (IH l m E) as (z & a & b & -> & -> & L). exists z, (y :: a), b. cbn. auto.
  - intros (y & a & b & -> & -> & ->). induction a as [|z a IH]; [reflexivity|].
    change (option_map (cons z) (replace (S (length a)) x (a ++ y :: b)) = Some (z :: a ++ x :: b)). rewrite IH. reflexivity.
Qed.

Lemma entry_there i l : 1 <= i <= length l <-> exists x, entry i l = Some x.
Proof.
  split.
  - intros H. destruct (nth_error l (i - 1)) as [x|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (nth_error_split l (i - 1) E) as (a & b & -> & L). exists x. apply entry_is. exists a, b. split; [reflexivity|lia].
  - intros (x & H). apply entry_is in H as (a & b & -> & ->). rewrite app_length. cbn. lia.
Qed.
Lemma without_there i l : 1 <= i <= length l <-> exists l', without i l = Some l'.
Proof.
  rewrite entry_there. split.
  - intros (x & H). apply entry_is in H as (a & b & H). exists (a ++ b). apply without_is. exists x, a, b. tauto.
  - intros (l' & H). apply without_is in H as (x & a & b & H). exists x. apply entry_is. exists a, b. tauto.
Qed.
Lemma insert_there i x l : 1 <= i <= S (length l) <-> exists l', insert i x l = Some l'.
Proof.
  split.
  - intros H. exists (firstn (i - 1) l ++ x :: skipn (i - 1) l). apply insert_is. exists (firstn (i - 1) l), (skipn (i - 1) l).
    rewrite firstn_skipn, firstn_length. repeat split. lia.
  - intros (l' & H). apply insert_is in H as (a & b & -> & _ & ->). rewrite app_length. lia.
Qed.
Lemma replace_there i x l : 1 <= i <= length l <-> exists l', replace i x l = Some l'.
Proof.
  rewrite entry_there. split.
  - intros (y & H). apply entry_is in H as (a & b & H). exists (a ++ x :: b). apply replace_is. exists y, a, b. tauto.
  - intros (l' & H). apply replace_is in H as (y & a & b & H). exists y. apply entry_is. exists a, b. tauto.
Qed.
Lemma exchange_there i j l : 1 <= i <= length l /\ 1 <= j <= length l <-> exists l', exchange i j l = Some l'.
Proof.
  unfold exchange. split.
  - intros [I J]. destruct (proj1 (entry_there i l) I) as (x & X), (proj1 (entry_there j l) J) as (y & Y). rewrite X, Y.
    destruct (proj1 (replace_there i y l) I) as (m & M). rewrite M. apply replace_there.
    apply replace_is in M as (z & a & b & -> & -> & _). rewrite app_length in J |- *. exact J.
  - intros (l' & H). destruct (entry i l) as [x|] eqn:X; [|discriminate]. destruct (entry j l) as [y|] eqn:Y; [|discriminate].
    split; apply entry_there; eauto.
Qed.

Lemma parted i x l l' : entry i l = Some x -> without i l = Some l' ->
  exists a b, l = a ++ x :: b /\ l' = a ++ b /\ i = S (length a).
Proof.
  intros E W. apply entry_is in E as (a & b & -> & ->). exists a, b. repeat split.
  assert (R : without (S (length a)) (a ++ x :: b) = Some (a ++ b)) by (apply without_is; exists x, a, b; auto). congruence.
Qed.

(** * Entries of what they give *)
Lemma without_entry i j l l' : i < j -> without j l = Some l' -> entry i l' = entry i l.
Proof.
  intros L H. apply without_is in H as (x & a & b & -> & -> & ->).
  revert i L. induction a as [|y a IH]; intros i L; [cbn in L; destruct i; [reflexivity|lia]|].
  destruct i as [|[|i]]; try reflexivity. apply (IH (S i)). cbn in L. lia.
Qed.

Lemma replace_entry i x l l' q : replace i x l = Some l' -> entry q l' = if Nat.eqb q i then Some x else entry q l.
Proof.
  intros H. apply replace_is in H as (y & a & b & -> & -> & ->). revert q. induction a as [|z a IH]; intros [|[|q]]; try reflexivity.
  exact (IH (S q)).
Qed.

Lemma by_entries l l' : (forall q, entry q l = entry q l') -> l = l'.
Proof.
  revert l'. induction l as [|x l IH]; intros [|y l'] H; [reflexivity|specialize (H 1); discriminate..|].
  pose proof (H 1) as E. injection E as ->. f_equal. apply IH. intros q. destruct q as [|q]; [reflexivity|exact (H (S (S q)))].
Qed.

(** Exchanging twice changes nothing. *)
Lemma exchange_twice i j l l' : exchange i j l = Some l' -> exchange i j l' = Some l.
Proof.
  intros H. assert (E : exists m, exchange i j l' = Some m).
  { assert (L : length l' = length l).
    { unfold exchange in H. destruct (entry i l), (entry j l); try discriminate. destruct (replace i _ l) eqn:R; [|discriminate].
      apply replace_is in R as (? & ? & ? & -> & -> & _). apply replace_is in H as (? & ? & ? & H & -> & _).
      apply (f_equal (@length T)) in H. rewrite !app_length in *. cbn in *. lia. }
    apply exchange_there. rewrite L. apply exchange_there. eauto. }
  destruct E as (m & E). rewrite E. f_equal. unfold exchange in *.
  destruct (entry i l) as [x|] eqn:X; [|discriminate]. destruct (entry j l) as [y|] eqn:Y; [|discriminate].
  destruct (replace i y l) as [k|] eqn:K; [|discriminate].
  destruct (entry i l') as [x'|] eqn:X'; [|discriminate]. destruct (entry j l') as [y'|] eqn:Y'; [|discriminate].
  destruct (replace i y' l') as [k'|] eqn:K'; [|discriminate].
  rewrite (replace_entry _ _ _ _ _ H), (replace_entry _ _ _ _ _ K) in X'. rewrite (replace_entry _ _ _ _ _ H) in Y'.
  rewrite Nat.eqb_refl in X', Y'. injection Y' as <-.
  apply by_entries. intros q.
  rewrite (replace_entry _ _ _ _ _ E), (replace_entry _ _ _ _ _ K'), (replace_entry _ _ _ _ _ H), (replace_entry _ _ _ _ _ K).
  destruct (Nat.eqb_spec q j) as [J|J], (Nat.eqb_spec q i) as [I|I]; try congruence; subst q.
  - destruct (Nat.eqb_spec i j); congruence.
  - destruct (Nat.eqb_spec i j); congruence.
Qed.
End Positions.

(** * The same positions of another list *)
Section Map.
Context {T U : Type} (f : T -> U).
Lemma entry_map i l : entry i (map f l) = option_map f (entry i l).
Proof. revert i. induction l as [|y l IH]; intros [|[|i]]; try reflexivity. apply (IH (S i)). Qed.
Lemma insert_map i x l : insert i (f x) (map f l) = option_map (map f) (insert i x l).
Proof.
  destruct (insert i x l) as [m|] eqn:E; cbn.
  - apply insert_is in E as (a & b & -> & -> & ->). apply insert_is. exists (map f a), (map f b). rewrite !map_app, map_length. auto.
  - destruct (insert i (f x) (map f l)) eqn:F; [|reflexivity]. exfalso.
    assert (exists m, insert i x l = Some m) as [m M]; [|congruence]. apply insert_there. rewrite <- (map_length f).
    apply (insert_there i (f x)). eauto.
Qed.
Lemma without_map i l : without i (map f l) = option_map (map f) (without i l).
Proof.
  revert i. induction l as [|y l IH]; intros [|[|i]]; try reflexivity.
  change (option_map (cons (f y)) (without (S i) (map f l)) = option_map (map f) (option_map (cons y) (without (S i) l))).
  rewrite IH. destruct (without (S i) l); reflexivity.
Qed.
Lemma replace_map i x l : replace i (f x) (map f l) = option_map (map f) (replace i x l).
Proof.
  revert i. induction l as [|y l IH]; intros [|[|i]]; try reflexivity.
  change (option_map (cons (f y)) (replace (S i) (f x) (map f l)) = option_map (map f) (option_map (cons y) (replace (S i) x l))).
  rewrite IH. destruct (replace (S i) x l); reflexivity.
Qed.
Lemma exchange_map i j l : exchange i j (map f l) = option_map (map f) (exchange i j l).
Proof.
  unfold exchange. rewrite !entry_map. destruct (entry i l) as [x|]; [|reflexivity]. destruct (entry j l) as [y|]; [|reflexivity].
  cbn [option_map]. rewrite replace_map. destruct (replace i y l) as [m|]; [|reflexivity]. apply replace_map.
Qed.
End Map.
