(** [hash]: a table for each parent, in which a coordinate is looked for from the place that a function gives, place by place,
    until it is there, or a place is empty, or all were seen.

    What makes a table well formed, is that each entry is found. *)
Require Import Arith List Bool Lia.
Require Export Atl.formats.Ell.
Import ListNotations.

Section Hash.
Context (N w : nat) (h : nat -> nat).
Implicit Types (r : list (option nat)).

Definition place (c k : nat) : nat := (h c + k) mod w.

(** [fuel] places from the [k]th on. *)
Fixpoint look r c k fuel : option nat :=
  match fuel with
  | 0 => None
  | S fuel =>
      match nth_error r (place c k) with
      | Some (Some d) => if d =? c then Some (place c k) else look r c (S k) fuel
      | _ => None
      end
  end.

Fixpoint set r q c : list (option nat) :=
  match r, q with
  | [], _ => []
  | _ :: r, 0 => Some c :: r
  | e :: r, S q => e :: set r q c
  end.

(** Into the first empty place; there may be none. *)
Fixpoint insert r c k fuel : option (list (option nat)) :=
  match fuel with
  | 0 => None
  | S fuel =>
      match nth_error r (place c k) with
      | Some None => Some (set r (place c k) c)
      | _ => insert r c (S k) fuel
      end
  end.
Definition insert_all (cs : list nat) : option (list (option nat)) :=
  fold_right (fun c full => match full with Some r => insert r c 0 w | None => None end) (Some (repeat None w)) (rev cs).

Definition table (t : list nat) : list (option nat) :=
  match insert_all (nonzero t) with Some r => r | None => [] end.

Definition hash_rows : rows := {|
  row := list (option nat);
  count := @length (option nat);
  row_ok r := length r = w /\ forall q d, nth_error r q = Some (Some d) -> d < N /\ look r d 0 w = Some q;
  row_space t := insert_all (nonzero t) <> None;
  row_encode t := (table t, table t);
  row_crd := crd_of;
  row_pos r c := if c <? N then look r c 0 w else None;
  row_valid := taken
|}.

Lemma look_some r c k fuel q : look r c k fuel = Some q -> nth_error r q = Some (Some c).
Proof.
  revert k. induction fuel as [|fuel IH]; cbn; intros k; [discriminate|].
  destruct (nth_error r (place c k)) as [[d|]|] eqn:I; try discriminate.
  destruct (Nat.eqb_spec d c) as [->|_]; [|apply IH]. intros H. injection H as <-. exact I.
Qed.

Lemma set_at r q c : q < length r -> nth_error (set r q c) q = Some (Some c).
Proof. revert q. induction r as [|e r IH]; intros [|q] H; cbn in *; [lia|lia|reflexivity|apply IH; lia]. Qed.

Lemma set_other r q c q' : q' <> q -> nth_error (set r q c) q' = nth_error r q'.
Proof.
  revert q q'. induction r as [|e r IH]; intros [|q] [|q'] H; cbn; try reflexivity; try congruence. apply IH. lia.
Qed.

Lemma set_length r q c : length (set r q c) = length r.
Proof. revert q. induction r as [|e r IH]; intros [|q]; cbn; auto. Qed.

(** What was found, is found still; and so is what is inserted. *)
Lemma look_set r p c d k fuel q : nth_error r p = Some None -> look r d k fuel = Some q -> look (set r p c) d k fuel = Some q.
Proof.
  intros E. revert k. induction fuel as [|fuel IH]; cbn; intros k; [discriminate|].
  destruct (nth_error r (place d k)) as [[e|]|] eqn:I; try discriminate.
  rewrite set_other, I by congruence. destruct (e =? d); [auto|]. apply IH.
Qed.

Lemma insert_some r c k fuel r' : insert r c k fuel = Some r' -> (forall q, nth_error r q <> Some (Some c)) ->
  (forall j, place c j < length r) ->
  exists p, nth_error r p = Some None /\ r' = set r p c /\ look r' c k fuel = Some p.
Proof.
  intros H New Full. revert k H. induction fuel as [|fuel IH]; cbn; intros k; [discriminate|].
  destruct (nth_error r (place c k)) as [[d|]|] eqn:I.
  - intros H. destruct (IH _ H) as (p & E & -> & L). exists p. repeat split; [exact E|].
    rewrite set_other, I by congruence. destruct (Nat.eqb_spec d c) as [->|_]; [destruct (New _ I)|exact L].
  - intros H. injection H as <-. exists (place c k). repeat split; [exact I|].
    rewrite set_at, Nat.eqb_refl by apply Full. reflexivity.
  - intros _. exfalso. apply nth_error_None in I. specialize (Full k). lia.
Qed.

Lemma insert_all_right cs r : NoDup cs -> Forall (fun c => c < N) cs -> insert_all cs = Some r ->
  length r = w /\ (forall q d, nth_error r q = Some (Some d) -> In d cs /\ look r d 0 w = Some q) /\
  (forall c, In c cs -> exists q, look r c 0 w = Some q).
Proof.
  unfold insert_all. intros D F. assert (D' : NoDup (rev cs)) by (apply NoDup_rev, D).
  assert (Same : forall c, In c cs <-> In c (rev cs)) by (intros; apply in_rev).
  setoid_rewrite Same. clear Same D F. revert r. induction (rev cs) as [|c ds IH]; intros r H.
  - cbn in H. injection H as <-. rewrite repeat_length. repeat split; try easy; apply nth_error_In, repeat_spec in H; discriminate.
  - cbn in H. destruct (fold_right _ _ ds) as [r0|]; [|discriminate]. inversion D' as [|? ? Nc D0]; subst.
    destruct (IH D0 r0 eq_refl) as (L & E & A). clear IH.
    assert (New : forall q, nth_error r0 q <> Some (Some c)) by (intros q I; apply Nc, (E q c I)).
    assert (W : w <> 0) by (intros Z; rewrite Z in H; discriminate).
    destruct (insert_some _ _ _ _ _ H New) as (p & I & -> & K).
    { intros j. rewrite L. apply Nat.mod_upper_bound, W. }
    rewrite set_length. split; [exact L|split].
    + intros q d J. destruct (Nat.eq_dec q p) as [->|Q].
      * rewrite set_at in J by exact (nth_error_below _ _ _ I). injection J as <-. split; [left; reflexivity|exact K].
      * rewrite set_other in J by exact Q. destruct (E q d J) as [B G]. split; [right; exact B|]. apply look_set; assumption.
    + intros d [<-|B]; [exists p; exact K|]. destruct (A d B) as [q G]. exists q. apply look_set; assumption.
Qed.

Lemma table_right t : length t = N -> insert_all (nonzero t) <> None ->
  length (table t) = w /\ (forall q d, nth_error (table t) q = Some (Some d) -> In d (nonzero t) /\ look (table t) d 0 w = Some q) /\
  (forall c, In c (nonzero t) -> exists q, look (table t) c 0 w = Some q).
Proof.
  intros Len F. unfold table. destruct (insert_all (nonzero t)) as [r|] eqn:E; [|congruence].
  apply insert_all_right in E; [exact E| |].
  - exact (sorted_NoDup _ _ Nat.lt_irrefl (nonzero_sorted t)).
  - apply Forall_forall. intros c I. apply nonzero_in in I. lia.
Qed.

Lemma hash_row_laws : row_laws N hash_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid hash_rows fst snd].
  - intros t Len F. destruct (table_right t Len F) as (L & E & _). repeat split; auto.
    + apply E in H as [H _]. apply nonzero_in in H. lia.
    + apply E, H.
  - intros t c q Len F. destruct (c <? N); [|discriminate]. intros H. apply look_some in H.
    exists (Some c). split; [exact H|reflexivity].
  - intros t c Len F C. rewrite (proj2 (Nat.ltb_lt c N) C). intros H.
    destruct (Nat.eq_dec (nth c t 0) 0) as [Z|Z]; [exact Z|exfalso]. destruct (table_right t Len F) as (_ & _ & A).
    destruct (A c) as [q Q]; [apply nonzero_in; split; [lia|exact Z]|congruence].
  - intros t q s _ _ I. unfold taken. rewrite I. destruct s; [discriminate|reflexivity].
  - intros r c q _. destruct (c <? N); [|discriminate]. intros H _. apply look_some in H. unfold crd_of. rewrite H.
    apply within_just. reflexivity.
  - intros r c q [_ O] _ T W. unfold taken, crd_of in *. destruct (nth_error r q) as [[d|]|] eqn:I; try discriminate.
    apply within_just in W as ->. destruct (O q d I) as [B L]. rewrite (proj2 (Nat.ltb_lt d N) B). exact L.
  - intros r q _ _ T. unfold taken, crd_of in *. destruct (nth_error r q) as [[d|]|]; try discriminate.
    exists d. apply within_just. reflexivity.
  - intros r c q _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H. split; [exact C|].
    exact (nth_error_below _ _ _ (look_some _ _ _ _ _ H)).
Qed.

Definition hash : level := level_of N hash_rows (fixed w).
Theorem hash_lawful : lawful hash.
Proof. apply (level_of_lawful N hash_rows (fixed w) _ hash_row_laws (fixed_laws w)). intros r [H _]. exact H. Qed.
End Hash.
