import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

class Solution {
    private record Booking(int start, int end) {
        boolean keepsClearOf(Booking other, int cleaning) {
            return end + cleaning <= other.start || other.end + cleaning <= start;
        }
    }

    public static List<Integer> hallBookingDesk(List<List<Integer>> requests, int halls, int cleaning) {
        List<List<Booking>> booked = new ArrayList<>();
        for (int i = 0; i < halls; i++) {
            booked.add(new ArrayList<>());
        }
        List<Integer> assigned = new ArrayList<>();
        for (List<Integer> request : requests) {
            Booking wish = new Booking(request.get(0), request.get(1));
            int hall = IntStream.range(0, wish.start() < wish.end() ? halls : 0)
                .filter(i -> booked.get(i).stream().allMatch(b -> b.keepsClearOf(wish, cleaning)))
                .findFirst()
                .orElse(-1);
            if (hall >= 0) {
                booked.get(hall).add(wish);
            }
            assigned.add(hall);
        }
        return assigned;
    }
}
