(** Levels whose metadata is a row for each parent, one after the other.

    All levels that are shipped are of this kind. So a level is given in two parts: what one row is (with laws of one row, that
    know nothing of other parents), and how rows lie in arrays (with laws that know nothing of coordinates). From these
    follow the laws of the level, and here is the proof. *)
Require Import Arith List Bool Lia.
Require Export Atl.formats.Level.
Import ListNotations.

(** * A row *)
Record rows := Rows {
  row : Type;
  count : row -> nat;
  row_ok : row -> Prop;
  row_space : list nat -> Prop;
  row_encode : list nat -> row * list (option nat);
  row_crd : row -> nat -> range;
  row_pos : row -> nat -> option nat;
  row_valid : row -> nat -> bool
}.

Record row_laws (N : nat) (R : rows) : Prop := RowLaws {
  row_encodes : forall t, length t = N -> row_space R t ->
    row_ok R (fst (row_encode R t)) /\ length (snd (row_encode R t)) = count R (fst (row_encode R t));
  row_get : forall t c q, length t = N -> row_space R t -> row_pos R (fst (row_encode R t)) c = Some q ->
    exists s, nth_error (snd (row_encode R t)) q = Some s /\ class t s = nth c t 0;
  row_none : forall t c, length t = N -> row_space R t -> c < N ->
    row_pos R (fst (row_encode R t)) c = None -> nth c t 0 = 0;
  row_invalid : forall t q s, length t = N -> row_space R t -> nth_error (snd (row_encode R t)) q = Some s ->
    row_valid R (fst (row_encode R t)) q = false -> class t s = 0;
  row_pos_inv : forall r c q, row_ok R r -> row_pos R r c = Some q -> row_valid R r q = true -> within (row_crd R r q) c;
  row_crd_inv : forall r c q, row_ok R r -> q < count R r -> row_valid R r q = true -> within (row_crd R r q) c ->
    row_pos R r c = Some q;
  row_has_crd : forall r q, row_ok R r -> q < count R r -> row_valid R r q = true -> exists c, within (row_crd R r q) c;
  row_below : forall r c q, row_ok R r -> row_pos R r c = Some q -> c < N /\ q < count R r
}.

(** * Rows in arrays *)
Record storage (row : Type) := Storage {
  arrays : Type;
  none : arrays;
  single : row -> arrays;
  join : arrays -> arrays -> arrays;
  tidy : arrays -> Prop;
  many : arrays -> nat;
  total : arrays -> nat;
  start : arrays -> nat -> nat;
  stop : arrays -> nat -> nat;
  row_at : arrays -> nat -> row
}.
Arguments arrays {row}. Arguments none {row}. Arguments single {row}. Arguments join {row}. Arguments tidy {row}.
Arguments many {row}. Arguments total {row}. Arguments start {row}. Arguments stop {row}. Arguments row_at {row}.

Record storage_laws {row} (S : storage row) (shape : row -> Prop) (count : row -> nat) : Prop := StorageLaws {
  tidy_none : tidy S (none S) /\ many S (none S) = 0 /\ total S (none S) = 0;
  tidy_single : forall r, shape r -> tidy S (single S r) /\ many S (single S r) = 1 /\ total S (single S r) = count r /\
    start S (single S r) 0 = 0 /\ row_at S (single S r) 0 = r;
  tidy_join : forall a b, tidy S a -> tidy S b -> tidy S (join S a b) /\
    many S (join S a b) = many S a + many S b /\ total S (join S a b) = total S a + total S b;
  join_left : forall a b p, tidy S a -> tidy S b -> p < many S a ->
    start S (join S a b) p = start S a p /\ row_at S (join S a b) p = row_at S a p;
  join_right : forall a b p, tidy S a -> tidy S b -> p < many S b ->
    start S (join S a b) (many S a + p) = total S a + start S b p /\
    row_at S (join S a b) (many S a + p) = row_at S b p;
  join_none : forall a, tidy S a -> join S (none S) a = a /\ join S a (none S) = a;
  join_assoc : forall a b c, tidy S a -> tidy S b -> tidy S c -> join S a (join S b c) = join S (join S a b) c;
  row_bounds : forall a p, tidy S a -> p < many S a ->
    stop S a p = start S a p + count (row_at S a p) /\ stop S a p <= total S a
}.

(** * The level of both *)
Section LevelOf.
Context (N : nat) (R : rows) (S : storage (row R)) (shape : row R -> Prop).
Hypothesis RL : row_laws N R.
Hypothesis SL : storage_laws S shape (count R).
Hypothesis ok_shape : forall r, row_ok R r -> shape r.

Definition level_of : level := {|
  extent := N;
  metadata := arrays S;
  space := row_space R;
  encode t := (single S (fst (row_encode R t)), snd (row_encode R t));
  empty := none S;
  append := join S;
  well_formed m := tidy S m /\ forall p, p < many S m -> row_ok R (row_at S m p);
  parents := many S;
  npos := total S;
  pos_bounds m p := (start S m p, stop S m p);
  pos_crd m p q := row_crd R (row_at S m p) (q - start S m p);
  crd_pos m p c := option_map (Nat.add (start S m p)) (row_pos R (row_at S m p) c);
  valid m p q := (start S m p <=? q) && (q <? stop S m p) && row_valid R (row_at S m p) (q - start S m p)
|}.

Lemma single_row t : length t = N -> row_space R t ->
  let m := single S (fst (row_encode R t)) in
  tidy S m /\ many S m = 1 /\ total S m = length (snd (row_encode R t)) /\ start S m 0 = 0 /\
  row_at S m 0 = fst (row_encode R t) /\ stop S m 0 = count R (fst (row_encode R t)) /\ row_ok R (fst (row_encode R t)).
Proof using RL SL ok_shape.
  intros E F. destruct (row_encodes _ _ RL t E F) as [O C].
  destruct (tidy_single _ _ _ SL _ (ok_shape _ O)) as (T & M & L & B & A). cbn.
  destruct (row_bounds _ _ _ SL _ 0 T) as [P _]; [lia|]. rewrite A, B in P. rewrite L, A, B, C, P. auto 10.
Qed.

Lemma valid_iff m p q : valid level_of m p q = true <->
  start S m p <= q < stop S m p /\ row_valid R (row_at S m p) (q - start S m p) = true.
Proof. unfold valid, level_of. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt. tauto. Qed.

(** A row of a stack is the row that was encoded, and its positions come after those of the rows before it. *)
Lemma row_of_stack X (ts : list (list nat * X)) p t x : in_stack level_of ts p t x ->
  tidy S (stack level_of ts) /\ p < many S (stack level_of ts) /\
  row_at S (stack level_of ts) p = fst (row_encode R t) /\
  stop S (stack level_of ts) p = start S (stack level_of ts) p + count R (fst (row_encode R t)) /\
  (forall q s, nth_error (snd (row_encode R t)) q = Some s ->
    nth_error (stored level_of ts) (start S (stack level_of ts) p + q) = Some (x, s)).
Proof using RL SL ok_shape.
  intros [F P].
  assert (G : forall ts : list (list nat * X), Forall (fun t => fits level_of (fst t)) ts -> tidy S (stack level_of ts) /\
    many S (stack level_of ts) = length ts).
  { induction 1 as [|u us [E Fu] _ [T M]]; [destruct (tidy_none _ _ _ SL) as (T & M & _); auto|].
    destruct (single_row _ E Fu) as (T1 & M1 & _). destruct (tidy_join _ _ _ SL _ _ T1 T) as (TJ & MJ & _).
    split; [exact TJ|]. cbn [length]. change (many S (join S (single S (fst (row_encode R (fst u)))) (stack level_of us)) = Datatypes.S (length us)).
    rewrite MJ, M1, M. reflexivity. }
  destruct (G ts F) as [T M]. assert (Q : p < many S (stack level_of ts)).
  { rewrite M. apply nth_error_Some. rewrite P. discriminate. }
  assert (A : row_at S (stack level_of ts) p = fst (row_encode R t) /\
    forall q s, nth_error (snd (row_encode R t)) q = Some s ->
      nth_error (stored level_of ts) (start S (stack level_of ts) p + q) = Some (x, s)).
  { clear Q T M. revert p P. induction F as [|[u y] us [E Fu] F IH]; intros [|p] P; try discriminate.
    - destruct (G us F) as [T _]. destruct (single_row _ E Fu) as (T1 & M1 & _ & B1 & A1 & _). cbn [nth_error] in P. injection P as -> ->.
      destruct (join_left _ _ _ SL _ (stack level_of us) 0 T1 T) as [B A]; [cbn in *; lia|].
      change (stack level_of ((t, x) :: us)) with (join S (single S (fst (row_encode R t))) (stack level_of us)).
      cbn [fst] in *. rewrite A, B, A1, B1. split; [reflexivity|]. intros q s I. cbn.
      rewrite nth_error_app1 by (rewrite map_length; apply nth_error_Some; rewrite I; discriminate).
      apply map_nth_error, I.
    - destruct (G us F) as [T M]. cbn in P. destruct (IH p P) as [A I]. clear IH.
      destruct (single_row _ E Fu) as (T1 & M1 & L1 & _).
      destruct (join_right _ _ _ SL _ (stack level_of us) p T1 T) as [B J].
      { rewrite M. apply nth_error_Some. rewrite P. discriminate. }
      change (stack level_of ((u, y) :: us)) with (join S (single S (fst (row_encode R u))) (stack level_of us)).
      cbn [fst] in *. rewrite M1 in B, J. cbn [Nat.add] in B, J. rewrite J, B, A. split; [reflexivity|].
      intros q s Iq. unfold stored. cbn [flat_map fst snd]. rewrite L1, nth_error_app2 by (rewrite map_length; cbn; lia). rewrite map_length, <- (I _ _ Iq).
      unfold stored. f_equal. cbn. lia. }
  destruct A as [A I]. destruct (row_bounds _ _ _ SL _ _ T Q) as [B _]. rewrite A in B. auto.
Qed.

Lemma inside a b n q : b = a + n -> a <= q < b -> q - a < n.
Proof. lia. Qed.

Theorem level_of_lawful : lawful level_of.
Proof using RL SL ok_shape.
  constructor.
  - split; [|split; [|split]].
    + destruct (tidy_none _ _ _ SL) as (T & M & _). split; [exact T|]. intros p P. cbn in P. rewrite M in P. lia.
    + intros a b [Ta Ra] [Tb Rb]. destruct (tidy_join _ _ _ SL _ _ Ta Tb) as (T & M & _). split; [exact T|].
      intros p P. cbn in P |- *. rewrite M in P. destruct (Nat.lt_ge_cases p (many S a)) as [H|H].
      * destruct (join_left _ _ _ SL _ _ _ Ta Tb H) as [_ E]. rewrite E. auto.
      * replace p with (many S a + (p - many S a)) by lia.
        destruct (join_right _ _ _ SL _ _ (p - many S a) Ta Tb) as [_ E]; [lia|]. rewrite E. apply Rb. lia.
    + intros a [T _]. exact (join_none _ _ _ SL a T).
    + intros a b d [Ta _] [Tb _] [Td _]. exact (join_assoc _ _ _ SL _ _ _ Ta Tb Td).
  - intros t [E F]. destruct (single_row t E F) as (T & M & _ & _ & A & _ & O). split; [exact T|].
    intros p P. cbn in *. rewrite M in P. replace p with 0 by lia. rewrite A. exact O.
  - split; [intros t [E F]; destruct (single_row t E F) as (_ & M & L & _); auto|].
    destruct (tidy_none _ _ _ SL) as (_ & M & L). split; [exact M|split; [exact L|]].
    intros a b [Ta _] [Tb _]. apply (tidy_join _ _ _ SL _ _ Ta Tb).
  - intros t c q [E F] G. destruct (single_row t E F) as (_ & _ & _ & B & A & _ & O). cbn in *. rewrite A, B in G.
    destruct (row_pos R _ c) as [q'|] eqn:Q; [|discriminate]. injection G as <-.
    split; [apply (row_below _ _ RL _ _ _ O Q) | apply (row_get _ _ RL _ _ _ E F Q)].
  - intros t c [E F] C G. destruct (single_row t E F) as (_ & _ & _ & B & A & _ & O). cbn in *. rewrite A in G.
    destruct (row_pos R _ c) as [q'|] eqn:Q; [discriminate|]. exact (row_none _ _ RL _ _ E F C Q).
  - intros t q s [E F] I G. destruct (single_row t E F) as (_ & _ & _ & B & A & P & O).
    apply (row_invalid _ _ RL t q s E F I). assert (q < count R (fst (row_encode R t))).
    { rewrite <- (proj2 (row_encodes _ _ RL t E F)). apply nth_error_Some. cbn in I. rewrite I. discriminate. }
    apply not_true_iff_false in G. apply not_true_iff_false. intros V. apply G, valid_iff.
    change (alone level_of t) with (single S (fst (row_encode R t))).
    rewrite A, B, P, Nat.sub_0_r. split; [lia|exact V].
  - intros m p c q [T O] P G V. apply valid_iff in V as [B V]. cbn in *.
    destruct (row_pos R _ c) as [q'|] eqn:Q; [|discriminate]. injection G as <-.
    rewrite Nat.add_comm, Nat.add_sub in *. exact (row_pos_inv _ _ RL _ _ _ (O p P) Q V).
  - intros m p c q [T O] P V I. apply valid_iff in V as [B V]. cbn in *.
    destruct (row_bounds _ _ _ SL _ _ T P) as [H _].
    rewrite (row_crd_inv _ _ RL _ c _ (O p P) (inside _ _ _ _ H B) V I). cbn. f_equal. lia.
  - intros m p q [T O] P V. apply valid_iff in V as [B V]. destruct (row_bounds _ _ _ SL _ _ T P) as [H _].
    apply (row_has_crd _ _ RL _ _ (O p P) (inside _ _ _ _ H B) V).
  - intros m p c q [T O] P V I. apply valid_iff in V as [B V]. destruct (row_bounds _ _ _ SL _ _ T P) as [H _].
    apply (row_below _ _ RL _ _ _ (O p P) (row_crd_inv _ _ RL _ c _ (O p P) (inside _ _ _ _ H B) V I)).
  - intros m p q [T O] P V. apply valid_iff in V as [B _]. exact B.
  - intros m p [T O] P. destruct (row_bounds _ _ _ SL _ _ T P) as [H H']. split; [exact H'|].
    intros c q G. cbn in *. destruct (row_pos R _ c) as [q'|] eqn:Q; [|discriminate]. injection G as <-.
    pose proof (row_below _ _ RL _ _ _ (O p P) Q). unfold within. cbn. lia.
  - intros X ts p t x c H. destruct (row_of_stack _ _ _ _ _ H) as (_ & _ & A & _). destruct H as [F P].
    destruct (proj1 (Forall_forall _ _) F _ (nth_error_In _ _ P)) as [E G].
    destruct (single_row t E G) as (_ & _ & _ & B1 & A1 & _). unfold first, alone. cbn in *. rewrite A, A1, B1.
    destruct (row_pos R _ c); reflexivity.
  - intros X ts p t x q H W. destruct (row_of_stack _ _ _ _ _ H) as (_ & _ & A & _). destruct H as [F P].
    destruct (proj1 (Forall_forall _ _) F _ (nth_error_In _ _ P)) as [E G].
    destruct (single_row t E G) as (_ & _ & _ & B1 & A1 & _). unfold first, alone. cbn in *. rewrite A, A1, B1.
    f_equal. lia.
  - intros X ts p t x H. destruct (row_of_stack _ _ _ _ _ H) as (_ & _ & A & B & _). destruct H as [F P].
    destruct (proj1 (Forall_forall _ _) F _ (nth_error_In _ _ P)) as [E G].
    destruct (single_row t E G) as (_ & _ & _ & B1 & A1 & P1 & _). unfold alone. cbn in *. rewrite B, B1, P1. lia.
  - intros X ts p t x q H W. destruct (row_of_stack _ _ _ _ _ H) as (_ & _ & A & B & _). destruct H as [F P].
    destruct (proj1 (Forall_forall _ _) F _ (nth_error_In _ _ P)) as [E G].
    destruct (single_row t E G) as (_ & _ & _ & B1 & A1 & P1 & _). unfold first, alone, within in *.
    change (fst (encode level_of t)) with (single S (fst (row_encode R t))) in *.
    change (pos_bounds level_of ?m ?p) with (start S m p, stop S m p) in *. cbn [fst snd] in *.
    apply eq_true_iff_eq. rewrite !valid_iff, A, A1, B, B1, P1, Nat.sub_0_r.
    replace (start S (stack level_of ts) p + q - start S (stack level_of ts) p) with q by lia.
    rewrite B1, P1 in W. cbn [fst] in W. intuition lia.
  - intros X ts p t x c H. destruct (row_of_stack _ _ _ _ _ H) as (_ & _ & A & _ & I). destruct H as [F P].
    destruct (proj1 (Forall_forall _ _) F _ (nth_error_In _ _ P)) as [E G]. cbn. rewrite A.
    destruct (row_pos R _ c) as [q|] eqn:Q; cbn.
    + destruct (row_get _ _ RL _ _ _ E G Q) as (s & Is & K). exists s. split; [apply I, Is|exact K].
    + intros C. exact (row_none _ _ RL _ _ E G C Q).
Qed.
End LevelOf.
