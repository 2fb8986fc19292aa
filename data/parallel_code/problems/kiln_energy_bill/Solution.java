import java.util.List;

class Solution {
    public static int kilnEnergyBill(int units, List<List<Integer>> bands, int standing) {
        int bill = standing;
        int left = units;
        int price = 0;
        for (List<Integer> band : bands) {
            int used = Math.min(left, band.get(0));
            price = band.get(1);
            bill += used * price;
            left -= used;
        }
        return bill + left * price;
    }
}
